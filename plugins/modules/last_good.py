#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: last_good
short_description: Save or read the last good declaration of a container
description:
  - Saves the declaration of a healthy container, so that a failed change can be undone, or reads
    the saved one.
  - Tasks need C(no_log), because declarations contain secrets.
options:
  path:
    description: >-
      File of the declaration, which only the user of the module may read. Its directory is created
      with the same restriction.
    type: path
    required: true
  declaration:
    description: The declaration to save; without it, the saved one is read.
    type: dict
attributes:
  check_mode:
    description: Saves nothing.
    support: full
  diff_mode:
    description: Has no differences to show.
    support: none
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Save the declaration of a healthy broker
  metal.kafka.last_good:
    path: /etc/kafka-metal/.last-good/local-kafka1.json
    declaration: {definition: {image: kafka-metal/kafka}, files: [], user: {uid: 10001}}
  no_log: true
"""

RETURN = r"""
declaration:
  description: The saved declaration; empty without one.
  type: dict
  returned: without O(declaration)
"""

import json
import os
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._containers import config_files


def main() -> None:
    """Save the declaration if there is one, else read it."""
    module = AnsibleModule(
        argument_spec={
            "path": {"type": "path", "required": True},
            # Otherwise Ansible would mask each value of it in messages, such as parts of the path.
            "declaration": {"type": "dict", "no_log": False},
        },
        supports_check_mode=True,
    )
    path, given = module.params["path"], module.params["declaration"]
    try:
        if given is None:
            module.exit_json(changed=False, declaration=read(path))
        if not module.check_mode:
            save(path, given)
    except (OSError, ValueError) as error:
        module.fail_json(
            msg=f"{path}: the last good declaration cannot be read or written: {error}; allowed: a "
            "file that a run has written, or none"
        )
    # Not part of the managed platform: report no change.
    module.exit_json(changed=False)


def read(path: str) -> dict[str, Any]:
    """Return the saved declaration, empty without one; ValueError if the file is damaged."""
    found = json.loads(config_files.read(path) or "{}")
    if not isinstance(found, dict):
        raise ValueError(f"found {type(found).__name__}")
    return found


def save(path: str, declaration: Mapping[str, Any]) -> None:
    """Write the declaration, unless the file already has it, for this user only."""
    wanted = json.dumps(declaration, sort_keys=True), 0o600, os.geteuid(), os.getegid()
    if not config_files.is_as_declared(path, *wanted):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        config_files.write(path, *wanted)


if __name__ == "__main__":
    main()
