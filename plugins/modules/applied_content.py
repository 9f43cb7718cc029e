#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: applied_content
short_description: Read or keep the record of what was applied to a cluster
description:
  - The record names the content that declarations have brought to a cluster, so that a later run
    from any control node knows what is no longer declared. It holds no values and no secrets.
  - Without O(record) the file is only read.
options:
  path:
    description: File of the record on the machine.
    type: path
    required: true
  record:
    description: What the file is to hold.
    type: dict
attributes:
  check_mode:
    description: The file is read, and not written.
    support: full
  diff_mode:
    description: Shows no diff.
    support: none
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Read what was applied
  metal.kafka.applied_content:
    path: /var/lib/kafka-metal/applied/prod.json
  register: found
"""

RETURN = r"""
record:
  description: The record that the file has held; empty without a file.
  type: dict
  returned: success
"""

import json
import os
import tempfile
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.basic import AnsibleModule


def read(module: AnsibleModule, path: str) -> dict[str, Any]:
    """The record of a file; a damaged one ends the module, as it may name what is to go."""
    try:
        with open(path, encoding="utf-8") as stream:
            found = json.load(stream)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        module.fail_json(
            msg=f"applied_content: {path}: {error}; allowed: a record that a run has written, or "
            "no file: what is not declared then counts as made by hand"
        )
    return found if isinstance(found, dict) else {}


def write(module: AnsibleModule, path: str, record: Mapping[str, Any]) -> None:
    """Replace the file as a whole."""
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o755, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=folder)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        json.dump(record, stream, sort_keys=True)
        stream.write("\n")
        stream.flush()
        os.fsync(stream.fileno())
    module.atomic_move(temporary, path)
    # It tells who may do what.
    os.chmod(path, 0o600)


def main() -> None:
    """Read, compare, write."""
    module = AnsibleModule(
        argument_spec={
            "path": {"type": "path", "required": True},
            "record": {"type": "dict"},
        },
        supports_check_mode=True,
    )
    path, wanted = module.params["path"], module.params["record"]
    found = read(module, path)
    if wanted is not None and wanted != found and not module.check_mode:
        write(module, path, wanted)
    # A record of our own is no change of the platform.
    module.exit_json(changed=False, record=found)


if __name__ == "__main__":
    main()
