#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: applied_content
short_description: Read or store the content that was applied to a cluster
description:
  - The applied state lists the content that runs have applied to a cluster. With it a later run
    from any control node finds content that is no longer declared. It has no values and no secrets.
  - Without O(applied_state) the file is only read.
options:
  path:
    description: File of the applied state on the host.
    type: path
    required: true
  applied_state:
    description: The new applied state.
    type: dict
  throttles:
    description: File of the throttles that an interrupted reassignment left.
    type: path
    required: true
  removed:
    description: Whether these throttles were removed; then their file is deleted.
    type: bool
    default: false
attributes:
  check_mode:
    description: Reads the files and does not change them.
    support: full
  diff_mode:
    description: Shows no diff.
    support: none
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Read the applied state
  metal.kafka.applied_content:
    path: /var/lib/kafka-metal/applied/prod.json
    throttles: /var/lib/kafka-metal/applied/prod-throttles.json
  register: found
"""

RETURN = r"""
applied_state:
  description: Applied state in the file before the write; empty without a file.
  type: dict
  returned: success
throttles:
  description: Throttles in the file O(throttles) before it was deleted; empty without a file.
  type: list
  elements: dict
  returned: success
"""

import contextlib
import json
import os
import tempfile
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._content.applied_file import AppliedFileError, read_applied


def write(module: AnsibleModule, path: str, state: Mapping[str, Any]) -> None:
    """Replace the file atomically."""
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o755, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=folder)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        json.dump(state, stream, sort_keys=True)
        stream.write("\n")
        stream.flush()
        os.fsync(stream.fileno())
    module.atomic_move(temporary, path)
    # The applied state contains ACLs.
    os.chmod(path, 0o600)


def main() -> None:
    """Read the applied state, and write a changed one."""
    module = AnsibleModule(
        argument_spec={
            "path": {"type": "path", "required": True},
            "applied_state": {"type": "dict"},
            "throttles": {"type": "path", "required": True},
            "removed": {"type": "bool", "default": False},
        },
        supports_check_mode=True,
    )
    path, wanted = module.params["path"], module.params["applied_state"]
    throttles = module.params["throttles"]
    try:
        found = read_applied(path)
        left = read_applied(throttles).get("throttles", [])
    except AppliedFileError as error:
        module.fail_json(msg=f"applied_content: {error}")
    if wanted is not None and wanted != found and not module.check_mode:
        write(module, path, wanted)
    if module.params["removed"] and not module.check_mode:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(throttles)
    # The files are not a change of the managed platform.
    module.exit_json(changed=False, applied_state=found, throttles=left)


if __name__ == "__main__":
    main()
