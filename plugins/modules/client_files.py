#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: client_files
author: The kafka-metal authors (!UNKNOWN)
short_description: Files of a client on the control node
description:
  - Writes configuration, keys and passwords of a client, which only the user of the run can read.
    Removes other files of the directory.
  - Runs as an action plugin on the control node; it connects to no host.
options:
  directory:
    description: Directory of the files; it is created with mode 0700.
    type: path
    required: true
  files:
    description: Files with C(name) and C(content), and C(mode) if it is not 0400.
    type: list
    elements: dict
    required: true
attributes:
  check_mode:
    description: Reports the files that would change, and writes none.
    support: full
  diff_mode:
    description: Shows no contents, because they are secret.
    support: none
"""

EXAMPLES = r"""
- name: Write the operator's client files
  metal.kafka.client_files:
    directory: /srv/kafka-metal/operator
    files:
      - {name: client.conf, content: "security.protocol=SSL\n"}
"""

RETURN = r"""
steps:
  description: Changes, or those planned in check mode, one message for each directory and file.
  type: list
  elements: str
  returned: always
differs:
  description: Paths that differ from the declaration, or did before they were written.
  type: list
  elements: str
  returned: always
unavailable:
  description: Always empty.
  type: list
  elements: str
  returned: always
"""

from ansible.module_utils.basic import AnsibleModule


def main() -> None:
    """Fail: the action plugin of the same name has to run in its place."""
    module = AnsibleModule(
        argument_spec={
            "directory": {"type": "path", "required": True},
            # Only the content of each file is secret.
            "files": {"type": "list", "elements": "dict", "required": True, "no_log": False},
        },
        supports_check_mode=True,
    )
    module.fail_json(msg="metal.kafka.client_files is an action plugin; it runs on no host")


if __name__ == "__main__":
    main()
