#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: begin
author: The kafka-metal authors (!UNKNOWN)
short_description: First task of a run, on the control node
description:
  - Refuses an inventory without hosts or machines, hosts of several clusters, and variables with a
    name of an earlier release.
  - Creates the state directory with mode 0700, and a C(.gitignore) that allows only the encrypted
    store of keys to be committed.
  - Migrates the state that an earlier version kept in the checkout or in the installed collection.
    Every file is copied and verified before the old directory is renamed to C(<cluster>.moved).
  - Runs as an action plugin on the control node; it connects to no host.
options:
  whole:
    description: Whether to refuse C(--limit), because the run's result covers all hosts together.
    type: bool
    default: false
  brokers:
    description: Whether to refuse an inventory without hosts in group C(kafka).
    type: bool
    default: false
  result_file:
    description: >-
      File for the process that started this run. It gets C(cluster) and C(state), the path of the
      state directory, as JSON, also in check mode.
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
- name: Check the inventory and prepare the state directory
  metal.kafka.begin:
    whole: true
  run_once: true
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
            "whole": {"type": "bool", "default": False},
            "brokers": {"type": "bool", "default": False},
            "result_file": {"type": "path"},
        },
        supports_check_mode=True,
    )
    module.fail_json(msg="metal.kafka.begin is an action plugin; it runs on no host")


if __name__ == "__main__":
    main()
