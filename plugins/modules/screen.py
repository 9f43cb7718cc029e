#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: screen
author: The kafka-metal authors (!UNKNOWN)
short_description: Print a text unchanged, and fail if there are problems
description:
  - Prints O(text) to standard output, between the lines of the callback.
  - Then fails if there are O(problems), so that the exit code of C(ansible-playbook) is 2.
  - Runs as an action plugin on the control node; it connects to no host.
options:
  text:
    description: Text of one or more lines. It may have colours.
    type: str
    required: true
  problems:
    description: Problems, one message each.
    type: list
    elements: str
    default: []
  files:
    description: Contents of files to write on the control node before, by path.
    type: dict
    default: {}
attributes:
  check_mode:
    description: Prints and fails as without check mode.
    support: full
  diff_mode:
    description: Has no differences to show.
    support: none
"""

EXAMPLES = r"""
- name: Print the replicas that differ
  metal.kafka.screen:
    text: "{{ result.text }}"
    problems: "{{ result.faults }}"
"""

RETURN = r"""
printed:
  description: Always true; the text is printed even if the task fails.
  type: bool
  returned: always
msg:
  description: The problems, one per line.
  type: str
  returned: failure
"""

from ansible.module_utils.basic import AnsibleModule


def main() -> None:
    """Fail: only the action plugin is used."""
    module = AnsibleModule(
        argument_spec={
            "text": {"type": "str", "required": True},
            "problems": {"type": "list", "elements": "str", "default": []},
            "files": {"type": "dict", "default": {}},
        },
        supports_check_mode=True,
    )
    module.fail_json(msg="metal.kafka.screen is an action plugin; it runs on no host")


if __name__ == "__main__":
    main()
