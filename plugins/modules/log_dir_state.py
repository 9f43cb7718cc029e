#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: log_dir_state
short_description: State of a broker's log dirs
description:
  - >-
    Checks the file system of each log dir in a separate process, because a hung disk blocks it.
    Writes nothing.
  - Reports why the broker must not be restarted now. The container engine does not start a
    container that binds a failed disk, and a starting broker takes a full log dir offline again.
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
    description: Directories of the host that the broker's container binds.
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
    Each log dir with C(path), C(state) (ok, full, read_only, failed, missing or unresponsive),
    C(reason), C(next) (the remedy), and C(size) and C(free) in bytes.
  type: list
  elements: dict
  returned: always
problems:
  description: A message for each log dir that cannot be used, with the remedy.
  type: list
  elements: str
  returned: always
blockers:
  description: Why the broker must not be stopped now, with the remedy; empty if it may.
  type: list
  elements: str
  returned: always
"""

from dataclasses import asdict

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._host.disks import log_dir_health
from ..module_utils._host.disks.bind_mounts import is_within


def main() -> None:
    """Probe the log dirs; report states, problems and blockers."""
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
    log_dirs = []
    for state in states:
        mount = next((point for point in disks if is_within(state.path, point)), "")
        step = log_dir_health.next_step(state, mount, host, disks.get(mount, ""))
        log_dirs.append({**asdict(state), "next": "" if state.state == log_dir_health.OK else step})
    module.exit_json(
        log_dirs=log_dirs,
        problems=[
            f"{host}: log dir {each['path']}: {each['reason']}. Next: {each['next']}"
            for each in log_dirs
            if each["next"]
        ],
        blockers=log_dir_health.blockers(states, module.params["sources"], disks, host),
    )


if __name__ == "__main__":
    main()
