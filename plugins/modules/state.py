#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: state
author: The kafka-metal authors (!UNKNOWN)
short_description: State directory of a cluster on the control node
description:
  - Creates the directory with mode 0700, and a C(.gitignore) that allows only the encrypted store
    of keys to be committed.
  - Migrates the state that an earlier version kept in the checkout or in the installed collection.
    Every file is copied and verified before the old directory is renamed to C(<cluster>.moved).
  - Runs as an action plugin on the control node; it connects to no host.
options:
  path:
    description: The directory.
    type: path
    required: true
  cluster:
    description: Name of the cluster.
    type: str
    required: true
  secrets:
    description: Whether to migrate the store of keys too.
    type: bool
    default: true
  result_file:
    description: >-
      File for the process that started this run. It gets C(cluster) and C(state) as JSON, also in
      check mode.
    type: path
attributes:
  check_mode:
    description: Reports what would be migrated, and changes nothing.
    support: full
  diff_mode:
    description: Has no differences to show.
    support: none
"""

EXAMPLES = r"""
- name: Make the state directory
  metal.kafka.state:
    path: "{{ lookup('metal.kafka.state', cluster=cluster_name) }}"
    cluster: "{{ cluster_name }}"
"""

RETURN = r"""
steps:
  description: Migrations, or those planned in check mode, one message for each directory.
  type: list
  elements: str
  returned: always
"""

from ansible.module_utils.basic import AnsibleModule


def main() -> None:
    """Fail: only the action plugin is used."""
    module = AnsibleModule(
        argument_spec={
            "path": {"type": "path", "required": True},
            "cluster": {"type": "str", "required": True},
            "secrets": {"type": "bool", "default": True},
            "result_file": {"type": "path"},
        },
        supports_check_mode=True,
    )
    module.fail_json(msg="metal.kafka.state is an action plugin; it runs on no host")


if __name__ == "__main__":
    main()
