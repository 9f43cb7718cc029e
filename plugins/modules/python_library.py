#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: python_library
short_description: A Python library is unpacked on the host
description:
  - Copies a package of the control node's Python below O(dest), compiled, so that modules import it
    several times faster than from a zip. What was there before is replaced as a whole.
  - It travels only when the host has another one; otherwise this is one short look.
options:
  package:
    description: Name under which the Python that runs Ansible imports the library.
    type: str
    required: true
  dest:
    description: Directory that holds the library's packages, and nothing else.
    type: path
    required: true
  seen:
    description: >-
      Digest that a look at the host has just found there, the fact C(libraries) of
      M(metal.kafka.machine_info). Where it is that of O(package) the host is not asked again.
    type: str
    default: ''
  digest:
    description: SHA-256 of the archive; the action plugin fills it in.
    type: str
  archive:
    description: The archive on the host; the action plugin fills it in.
    type: path
attributes:
  check_mode:
    description: Says what would change and touches nothing.
    support: full
  diff_mode:
    description: There is nothing to show.
    support: none
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Kafka client for our modules is there
  metal.kafka.python_library:
    package: kafka
    dest: /opt/kafka-metal/python/kafka-python
"""

RETURN = r"""
steps:
  description: What was done, or in check mode would be.
  type: list
  elements: str
  returned: success
  sample: ["library /opt/kafka-metal/python/kafka-python is unpacked"]
"""

import compileall
import os
import shutil
import zipfile

from ansible.module_utils.basic import AnsibleModule

STAMP = ".digest"


def digest_of(folder: str) -> str | None:
    """Digest of the archive that was unpacked here, or None."""
    try:
        with open(os.path.join(folder, STAMP), encoding="ascii") as stream:
            return stream.read()
    except FileNotFoundError:
        return None


def unpack(archive: str, folder: str, digest: str) -> None:
    """Replace ``folder`` by what ``archive`` holds; the stamp is the last thing written."""
    fresh = f"{folder}.new"
    shutil.rmtree(fresh, ignore_errors=True)
    os.makedirs(fresh, mode=0o755)
    with zipfile.ZipFile(archive) as content:
        content.extractall(fresh)
    compileall.compile_dir(fresh, quiet=2, stripdir=fresh, prependdir=folder)
    with open(os.path.join(fresh, STAMP), "w", encoding="ascii") as stream:
        stream.write(digest)
    shutil.rmtree(folder, ignore_errors=True)
    os.rename(fresh, folder)


def main() -> None:
    """Look, and unpack what the action plugin has brought."""
    module = AnsibleModule(
        argument_spec={
            "package": {"type": "str", "required": True},
            "dest": {"type": "path", "required": True},
            "seen": {"type": "str", "default": ""},
            "digest": {"type": "str"},
            "archive": {"type": "path"},
        },
        supports_check_mode=True,
    )
    folder, archive = module.params["dest"], module.params["archive"]
    current = digest_of(folder) == module.params["digest"]
    if not current and archive and not module.check_mode:
        os.umask(0o022)
        unpack(archive, folder, module.params["digest"])
    steps = [] if current else [f"library {folder} is unpacked"]
    module.exit_json(changed=not current, steps=steps)


if __name__ == "__main__":
    main()
