#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: log_dir_state
short_description: Whether log dirs of a broker can be used, and why not
description:
  - >-
    Asks the file system below each log dir, in a process of its own, which a disk that hangs may
    hold. Nothing is written.
  - Says why the broker must not be restarted now. The container engine refuses to start a container
    that is bound to a disk with errors, and a broker that starts on a full disk loses it again.
extends_documentation_fragment: [metal.kafka.only_reads]
options:
  paths:
    description: Log dirs.
    type: list
    elements: path
    required: true
  disks:
    description: Data disks of the host, with C(name) and C(mount).
    type: list
    elements: dict
    default: []
  sources:
    description: Directories of the host to which the broker's container is bound.
    type: list
    elements: path
    default: []
  host:
    description: Name of the host, for messages.
    type: str
    required: true
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Read why log dirs are offline
  metal.kafka.log_dir_state:
    paths: [/data/disk1/kafka, /data/disk2/kafka]
    disks: [{name: disk1, mount: /data/disk1}, {name: disk2, mount: /data/disk2}]
    host: "{{ inventory_hostname }}"
  register: log_dirs
"""

RETURN = r"""
log_dirs:
  description: >-
    Each log dir with C(path), C(state) (ok, full, read_only, failed, missing or silent), C(reason),
    C(next), the command that leads on, and C(size) and C(free) in bytes.
  type: list
  elements: dict
  returned: always
problems:
  description: A sentence on each log dir that cannot be used, with the next command.
  type: list
  elements: str
  returned: always
blockers:
  description: Why the broker must not be stopped now, with the next command; empty when it may.
  type: list
  elements: str
  returned: always
"""

from dataclasses import asdict

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._host.disks import log_dir_health
from ..module_utils._host.disks.bind_mounts import within


def main() -> None:
    """Ask, and say what follows."""
    module = AnsibleModule(
        argument_spec={
            "paths": {"type": "list", "elements": "path", "required": True},
            "disks": {"type": "list", "elements": "dict", "default": []},
            "sources": {"type": "list", "elements": "path", "default": []},
            "host": {"type": "str", "required": True},
        },
        supports_check_mode=True,
    )
    host = module.params["host"]
    disks = {each["mount"]: each["name"] for each in module.params["disks"]}
    states = log_dir_health.probe(module.params["paths"], disks)
    told = []
    for state in states:
        mount = next((point for point in disks if within(state.path, point)), "")
        step = log_dir_health.next_step(state, mount, host, disks.get(mount, ""))
        told.append({**asdict(state), "next": "" if state.state == log_dir_health.OK else step})
    module.exit_json(
        log_dirs=told,
        problems=[
            f"{host}: log dir {each['path']}: {each['reason']}. Next: {each['next']}"
            for each in told
            if each["next"]
        ],
        blockers=log_dir_health.blockers(states, module.params["sources"], disks, host),
    )


if __name__ == "__main__":
    main()
