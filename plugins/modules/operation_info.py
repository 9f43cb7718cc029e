#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: operation_info
author: The kafka-metal authors (!UNKNOWN)
short_description: Operation that holds a cluster's lock on a machine, and its silences
extends_documentation_fragment: [metal.kafka.only_reads]
description:
  - Reads the lock of M(metal.kafka.cluster_lock) and the files of M(metal.kafka.maintenance).
options:
  cluster:
    description: Name of the cluster.
    type: str
    required: true
  directory:
    description: Directory of M(metal.kafka.maintenance) on the machine; empty for none.
    type: str
    default: ''
  locks:
    description: Directory of locks on the machine.
    type: path
    default: /var/lib/kafka-metal/locks
"""

EXAMPLES = r"""
- name: Read the running operation
  metal.kafka.operation_info:
    cluster: local
    directory: /var/lib/kafka-metal/textfile
  register: operation
"""

RETURN = r"""
operation:
  description:
    - C(now) on the machine; C(lock) as RV(metal.kafka.cluster_lock#module:lock), null for none;
      C(active), time of the operation's last activity, 0 if unknown; C(silenced_until), end of
      the silence of alerts by name of an instance or machine. All in seconds since 1970.
  type: dict
  returned: always
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._host import operation_lock, operation_state


def main() -> None:
    """Read the state of the operation."""
    module = AnsibleModule(
        argument_spec={
            "cluster": {"type": "str", "required": True},
            "directory": {"type": "str", "default": ""},
            "locks": {"type": "path", "default": operation_lock.DIRECTORY},
        },
        supports_check_mode=True,
    )
    module.exit_json(changed=False, operation=operation_state.read(**module.params))


if __name__ == "__main__":
    main()
