#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: python_library
short_description: Install a Python library on the host
description:
  - Copies a package of the control node's Python into O(dest) and compiles it, so that modules
    import it several times faster than from a zip. An existing version is replaced completely.
  - The archive is transferred only if the host has another version.
options:
  package:
    description: Import name of the library in the control node's Python.
    type: str
    required: true
  dest:
    description: Directory for the library's packages, and nothing else.
    type: path
    required: true
  installed_digest:
    description: >-
      Digest of the library on the host, from the fact C(libraries) of M(metal.kafka.machine_info).
      If it is that of O(package), the module does not connect to the host.
    type: str
    default: ''
  digest:
    description: SHA-256 of the archive; set by the action plugin.
    type: str
  archive:
    description: The archive on the host; set by the action plugin.
    type: path
attributes:
  check_mode:
    description: Reports what would change, and changes nothing.
    support: full
  diff_mode:
    description: Has no differences to show.
    support: none
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Install the Kafka client for modules
  metal.kafka.python_library:
    package: kafka
    dest: /opt/kafka-metal/python/kafka-python
"""

RETURN = r"""
steps:
  description: Changes, or those planned in check mode.
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


def read_digest(folder: str) -> str | None:
    """Return the digest of the unpacked archive, or None."""
    try:
        with open(os.path.join(folder, STAMP), encoding="ascii") as stream:
            return stream.read()
    except FileNotFoundError:
        return None


def unpack(archive: str, folder: str, digest: str) -> None:
    """Replace ``folder`` by the content of ``archive``; the digest is written last."""
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
    """Compare the digest, and unpack the archive of the action plugin."""
    module = AnsibleModule(
        argument_spec={
            "package": {"type": "str", "required": True},
            "dest": {"type": "path", "required": True},
            "installed_digest": {"type": "str", "default": ""},
            "digest": {"type": "str"},
            "archive": {"type": "path"},
        },
        supports_check_mode=True,
    )
    folder, archive = module.params["dest"], module.params["archive"]
    current = read_digest(folder) == module.params["digest"]
    if not current and archive and not module.check_mode:
        os.umask(0o022)
        unpack(archive, folder, module.params["digest"])
    steps = [] if current else [f"library {folder} is unpacked"]
    module.exit_json(changed=not current, steps=steps)


if __name__ == "__main__":
    main()
