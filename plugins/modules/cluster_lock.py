#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_lock
short_description: Lock of a cluster, for one operation at a time
description:
  - Acquires or releases the lock of a cluster on one machine. The lock names the operation, its
    user, its control node, and its start time.
  - A lock whose process on the same control node has died is taken over; the same operation then
    keeps its start time, so that it can resume.
  - With the lock, it writes the marker of the running operation for monitoring, and removes all
    maintenance markers of the cluster, also those of M(metal.kafka.maintenance).
  - Fails without the lock if the marker cannot be written. Does not fail if another operation holds
    the lock, see RV(acquired), or if the machine is unreachable, see RV(reached).
options:
  cluster:
    description: Name of the cluster.
    type: str
    required: true
  operation:
    description: Name of the operation, for messages to other operators.
    type: str
    default: an operation
  state:
    description: >-
      V(present) acquires the lock, V(absent) releases the own one, V(released) releases that of an
      operation whose process on this control node has died, and V(deleted) deletes any lock,
      because the cluster is deleted.
    type: str
    choices: [present, absent, released, deleted]
    default: present
  unlock:
    description: Token of a lock to break, or the name of the cluster to break any.
    type: str
    default: ''
  replace:
    description: >-
      Internal, set by the action plugin - token of an owner whose process has died and whose lock
      is replaced.
    type: str
    default: ''
  owner:
    description: Internal, set by the action plugin - the process that acquires the lock.
    type: dict
    default: {}
  directory:
    description: Directory of locks on the machine; must survive a reboot.
    type: path
    default: /var/lib/kafka-metal/locks
  textfile_directory:
    description: >-
      Textfile directory of the node exporter on the machine, for maintenance markers;
      O(state=deleted) removes them also without a lock. Empty without monitoring.
    type: str
    default: ''
  announced:
    description: Whether O(state=present) writes the marker of the operation.
    type: bool
    default: true
attributes:
  check_mode:
    description: Changes nothing and reports the lock as acquired.
    support: full
  diff_mode:
    description: Has no differences to show.
    support: none
notes:
  - The control node checks whether an owner's process lives, see plugins/action/cluster_lock.py.
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Acquire the lock of the cluster
  metal.kafka.cluster_lock:
    cluster: local
    operation: restart
  register: lock
  failed_when: not lock.acquired
"""

RETURN = r"""
acquired:
  description: Whether this operation has the lock.
  type: bool
  returned: always
nested:
  description: Whether this run of Ansible held it already.
  type: bool
  returned: always
resumed:
  description: Whether the lock was taken over from an interrupted run of the same operation.
  type: bool
  returned: always
since:
  description: When the operation began, by the machine's clock, in seconds since 1970.
  type: float
  returned: always
lock:
  description: Content of the lock, including C(token).
  type: dict
  returned: always
reached:
  description: Whether the machine was reachable.
  type: bool
  returned: always
released:
  description: Whether a lock was removed.
  type: bool
  returned: with O(state=absent), O(state=released) and O(state=deleted), outside check mode
steps:
  description: Always empty, because a lock is not a change of the platform.
  type: list
  elements: str
  returned: always
"""

import os
import time

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._host import maintenance_files, operation_lock


def main() -> None:
    """Acquire or release the lock."""
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
            "textfile_directory": {"type": "str", "default": ""},
            "announced": {"type": "bool", "default": True},
        },
        supports_check_mode=True,
    )
    spec = module.params
    me = (
        operation_lock.Owner(**spec["owner"])
        if spec["owner"]
        else operation_lock.lock_owner(os.getppid())
    )
    path = os.path.join(spec["directory"], f"{spec['cluster']}.json")
    common = {"changed": False, "reached": True, "steps": []}
    if module.check_mode:
        granted = operation_lock.Lock(spec["operation"], me, 0)
        module.exit_json(**common, **operation_lock.result(granted, acquired=True))
    if spec["state"] in ("absent", "deleted"):
        own = spec["state"] == "absent"
        removed = operation_lock.remove(path, me.token) if own else operation_lock.remove_any(path)
        if removed or not own:
            end_maintenance(module)
        no_lock = operation_lock.result(operation_lock.Lock("", me, 0), acquired=False)
        module.exit_json(**common, **no_lock, released=removed)
    if spec["state"] == "released":
        found = operation_lock.release(path, spec["replace"], me)
        if found["released"]:
            end_maintenance(module)
        module.exit_json(**common, **found)
    found = operation_lock.acquire(path, spec["cluster"], spec, me)
    if found["acquired"] and not found["nested"] and spec["announced"]:
        begin_maintenance(module, path, me)
    module.exit_json(**common, **found)


def begin_maintenance(module: AnsibleModule, path: str, me: operation_lock.Owner) -> None:
    """Announce the operation to monitoring, if there is one. Nothing is silenced yet."""
    spec, by = module.params, f"{me.user} on {me.node}"
    directory = spec["textfile_directory"]
    try:
        if directory:
            now = time.time()
            maintenance_files.begin(directory, spec["cluster"], spec["operation"], by, now)
    except OSError as error:
        operation_lock.remove(path, me.token)
        module.fail_json(
            msg=f"the operation cannot be announced to monitoring: {error}; required: a writable "
            f"directory {directory}"
        )


def end_maintenance(module: AnsibleModule) -> None:
    """Remove the cluster's maintenance markers, if there is monitoring."""
    directory = module.params["textfile_directory"]
    try:
        if directory:
            maintenance_files.end(directory, module.params["cluster"])
    except OSError as error:
        module.fail_json(
            msg=f"the lock is released, but maintenance markers cannot be removed: {error}; "
            f"required: a writable directory {directory}"
        )


if __name__ == "__main__":
    main()
