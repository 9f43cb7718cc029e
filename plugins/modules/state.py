#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: state
author: The kafka-metal authors (!UNKNOWN)
short_description: Directory on the control node that holds the state of a cluster
description:
  - Makes the directory for its owner alone, with a C(.gitignore) that lets only the encrypted store
    of keys be committed.
  - Moves what an earlier version kept in the checkout or in the installed collection. Every file is
    copied and read again before the old directory is renamed to C(<cluster>.moved).
  - Runs as an action plugin on the control node; no host is asked.
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
    description: Whether the store of keys is moved as well.
    type: bool
    default: true
  answer:
    description: >-
      File for whoever has started this run, which gets C(cluster) and C(state) as JSON, also in
      check mode.
    type: path
attributes:
  check_mode:
    description: Says what would be moved and touches nothing.
    support: full
  diff_mode:
    description: There is nothing to show.
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
  description: What was moved, or would be, one message for each directory.
  type: list
  elements: str
  returned: always
"""

from ansible.module_utils.basic import AnsibleModule


def main() -> None:
    """Refuse to run on a host."""
    module = AnsibleModule(
        argument_spec={
            "path": {"type": "path", "required": True},
            "cluster": {"type": "str", "required": True},
            "secrets": {"type": "bool", "default": True},
            "answer": {"type": "path"},
        },
        supports_check_mode=True,
    )
    module.fail_json(msg="metal.kafka.state is an action plugin; it runs on no host")


if __name__ == "__main__":
    main()
