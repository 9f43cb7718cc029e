#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: support_archive
short_description: Join the support archives of all machines, without secrets
description:
  - Reads every tar.gz in the directories of all hosts, removes known secrets and values that look
    like one from each text, writes one tar.gz, and deletes the source archives.
options:
  source:
    description:
      - Directory with one directory for each host, named after it, with the host's archives of
        M(metal.kafka.support_host).
    type: path
    required: true
  dest:
    description: Path of the joined archive; its mode is 0600.
    type: path
    required: true
  secrets:
    description: Known secrets to remove.
    type: list
    elements: str
    default: []
attributes:
  check_mode:
    description: Writes and deletes nothing.
    support: full
  diff_mode:
    description: Has no differences to show.
    support: none
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Write the joined support archive
  metal.kafka.support_archive:
    source: /tmp/machines
    dest: /tmp/support.tar.gz
    secrets: "{{ query('metal.kafka.secret', 'password:operator') }}"
"""

RETURN = r"""
size:
  description: Bytes of the archive.
  type: int
  returned: always
members:
  description: Number of texts in the archive.
  type: int
  returned: always
"""

import tarfile
import time
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._containers.support import text_archive


def main() -> None:
    """Join the archives, write the result, delete the sources."""
    module = AnsibleModule(
        argument_spec={
            "source": {"type": "path", "required": True},
            "dest": {"type": "path", "required": True},
            "secrets": {"type": "list", "elements": "str", "default": [], "no_log": True},
        },
        supports_check_mode=True,
    )
    source, dest = Path(module.params["source"]), Path(module.params["dest"])
    archives = sorted(source.glob("*/*.tar.gz"))
    if module.check_mode:
        module.exit_json(changed=True, size=0, members=0)
    try:
        texts = text_archive.redact_sources(archives, module.params["secrets"])
        text_archive.write(dest, texts, time.time())
        for each in archives:
            each.unlink()
    except (OSError, tarfile.TarError) as error:
        module.fail_json(msg=f"{dest} cannot be written: {error}")
    module.exit_json(changed=True, size=dest.stat().st_size, members=len(texts))


if __name__ == "__main__":
    main()
