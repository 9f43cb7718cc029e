#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: machine_info
author: The kafka-metal authors
short_description: What a machine offers to services, in one round trip
description:
  - Reads operating system, memory, the file systems of given paths and the listening TCP ports with
    their owners. Changes nothing and needs nothing but Python.
  - A thing that cannot be read is left out and named in RV(unknown).
options:
  paths:
    description: Paths whose file systems are of interest. They need not exist yet.
    type: list
    elements: path
    default: []
  socket:
    description: Socket of the container engine, which knows whose a container is.
    type: path
    default: /run/docker.sock
attributes:
  check_mode:
    description: Reads only.
    support: full
  diff_mode:
    description: Nothing changes.
    support: none
"""

EXAMPLES = r"""
- name: Machine is known
  metal.kafka.machine_info:
    paths: [/data/disk1/kafka]
  register: machine
"""

RETURN = r"""
facts:
  description: >-
    C(system) (id, version, name), C(architecture), C(python), C(memory) in bytes, C(addresses),
    C(paths) (mount, device, system, free and total bytes by path) and C(listeners) (address, port,
    process, container, cluster).
  type: dict
  returned: always
unknown:
  description: Why a fact is missing, by its name.
  type: dict
  returned: always
"""

import contextlib
import platform

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.metal.kafka.plugins.module_utils import machine


def addresses():
    names = {platform.node(), platform.node().split(".")[0]}
    return sorted(names) + machine.local_addresses(machine.read("/proc/net/fib_trie"))


def listeners(socket):
    tables = [machine.read("/proc/net/tcp")]
    # A kernel without IPv6 has no second table.
    with contextlib.suppress(FileNotFoundError):
        tables.append(machine.read("/proc/net/tcp6"))
    sockets = [found for table in tables for found in machine.listening(table)]
    return machine.listeners(sockets, machine.socket_owners(), machine.containers(socket))


def main():
    module = AnsibleModule(
        argument_spec={
            "paths": {"type": "list", "elements": "path", "default": []},
            "socket": {"type": "path", "default": "/run/docker.sock"},
        },
        supports_check_mode=True,
    )

    def paths():
        table = machine.mounts(machine.read("/proc/self/mountinfo"))
        return {path: machine.place(path, table) for path in module.params["paths"]}

    readers = {
        "system": lambda: machine.system(machine.read("/etc/os-release")),
        "architecture": platform.machine,
        "python": platform.python_version,
        "memory": lambda: machine.memory(machine.read("/proc/meminfo")),
        "addresses": addresses,
        "paths": paths,
        "listeners": lambda: listeners(module.params["socket"]),
    }
    facts, unknown = {}, {}
    for name, read in readers.items():
        try:
            facts[name] = read()
        except (OSError, ValueError) as error:
            unknown[name] = str(error)
    module.exit_json(changed=False, facts=facts, unknown=unknown)


if __name__ == "__main__":
    main()
