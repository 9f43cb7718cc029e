#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_lock
short_description: One operation at a time on a cluster
description:
  - Takes or drops the lock of a cluster on one machine. The lock says who is at work, on which
    control node, and since when.
  - A lock whose process on the same control node has died is taken over; the same operation then
    keeps the time of its begin, so that it can resume.
  - Never fails because somebody else holds the lock; that is a result, see RV(taken). A machine
    that cannot be reached is a result too, see RV(reached).
options:
  cluster:
    description: Name of the cluster.
    type: str
    required: true
  operation:
    description: What is being done, in words for the other operator.
    type: str
    default: an operation
  state:
    description: >-
      Whether to take the lock, to drop one's own, to drop that of an operation whose process on
      this control node has died, or to delete that of any operation, because
      the cluster is deleted.
    type: str
    choices: [present, absent, released, deleted]
    default: present
  unlock:
    description: Token of a lock to break, or the name of the cluster to break any.
    type: str
    default: ''
  replace:
    description: Token of an owner that is known to be dead. Found out by the control node.
    type: str
    default: ''
  owner:
    description: The process that takes it. Filled in by the control node.
    type: dict
    default: {}
  directory:
    description: Directory of locks on the machine; it survives a reboot.
    type: path
    default: /var/lib/kafka-metal/locks
attributes:
  check_mode:
    description: Touches nothing and takes the lock for granted.
    support: full
  diff_mode:
    description: Shows nothing.
    support: none
notes:
  - Whether an owner lives is found out on the control node; see plugins/action/cluster_lock.py.
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Nobody else works on the cluster
  metal.kafka.cluster_lock:
    cluster: local
    operation: restart
  register: lock
  failed_when: not lock.taken
"""

RETURN = r"""
taken:
  description: Whether the lock is ours.
  type: bool
  returned: always
nested:
  description: Whether this run of Ansible held it already.
  type: bool
  returned: always
resumed:
  description: Whether it was taken over from an interrupted run of the same operation.
  type: bool
  returned: always
since:
  description: When the operation began, by the machine's clock, in seconds since 1970.
  type: float
  returned: always
lock:
  description: What the lock says, C(token) included.
  type: dict
  returned: always
reached:
  description: Whether the machine could be reached.
  type: bool
  returned: always
released:
  description: Whether a lock was dropped, one's own or that of a dead process.
  type: bool
  returned: with O(state=absent), O(state=released) and O(state=deleted)
steps:
  description: Empty; a lock is no change of the platform.
  type: list
  elements: str
  returned: always
"""

import os

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._host import operation_lock


def main() -> None:
    """Take or drop."""
    module = AnsibleModule(
        argument_spec={
            "cluster": {"type": "str", "required": True},
            "operation": {"type": "str", "default": "an operation"},
            "state": {
                "type": "str",
                "choices": ["present", "absent", "released", "deleted"],
                "default": "present",
            },
            "unlock": {"type": "str", "default": ""},
            "replace": {"type": "str", "default": ""},
            "owner": {"type": "dict", "default": {}},
            "directory": {"type": "path", "default": operation_lock.DIRECTORY},
        },
        supports_check_mode=True,
    )
    spec = module.params
    me = (
        operation_lock.Owner(**spec["owner"])
        if spec["owner"]
        else operation_lock.owner_of(os.getppid())
    )
    path = os.path.join(spec["directory"], f"{spec['cluster']}.json")
    common = {"changed": False, "reached": True, "steps": []}
    if module.check_mode:
        granted = operation_lock.Lock(spec["operation"], me, 0)
        module.exit_json(**common, **operation_lock.result(granted, taken=True))
    if spec["state"] in ("absent", "deleted"):
        own = spec["state"] == "absent"
        dropped = operation_lock.remove(path, me.token) if own else operation_lock.remove_any(path)
        nobody = operation_lock.result(operation_lock.Lock("", me, 0), taken=False)
        module.exit_json(**common, **nobody, released=dropped)
    if spec["state"] == "released":
        module.exit_json(**common, **operation_lock.release(path, spec["replace"], me))
    module.exit_json(**common, **operation_lock.acquire(path, spec["cluster"], spec, me))


if __name__ == "__main__":
    main()
