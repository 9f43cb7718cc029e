#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: screen
author: The kafka-metal authors (!UNKNOWN)
short_description: Prints a text as it is, and fails when something is not well
description:
  - Prints O(text) to standard output, between the lines of whatever callback is in use.
  - Fails after that when there are O(problems), so that the exit code of C(ansible-playbook) is 2.
  - Runs as an action plugin on the control node; no host is asked.
options:
  text:
    description: What to print, of one or more lines. It may have colours.
    type: str
    required: true
  problems:
    description: What is not well, one message each.
    type: list
    elements: str
    default: []
attributes:
  check_mode:
    description: Prints and fails as in any other run.
    support: full
  diff_mode:
    description: There is nothing to show.
    support: none
"""

EXAMPLES = r"""
- name: Show which replicas differ
  metal.kafka.screen:
    text: "{{ result.text }}"
    problems: "{{ result.faults }}"
"""

RETURN = r"""
printed:
  description: That the text was printed, also where the task fails for its problems.
  type: bool
  returned: always
msg:
  description: The problems, one a line.
  type: str
  returned: failure
"""

from ansible.module_utils.basic import AnsibleModule


def main() -> None:
    """Refuse to run on a host."""
    module = AnsibleModule(
        argument_spec={
            "text": {"type": "str", "required": True},
            "problems": {"type": "list", "elements": "str", "default": []},
        },
        supports_check_mode=True,
    )
    module.fail_json(msg="metal.kafka.screen is an action plugin; it runs on no host")


if __name__ == "__main__":
    main()
