#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: machine_info
author: The kafka-metal authors (!UNKNOWN)
short_description: What a machine offers to services, in one round trip
description:
  - Reads operating system, kernel, limits, memory, clock, control groups, protections, interfaces,
    the file systems of given paths, what given names lead to, the container engine, and the
    listening TCP ports with their owners. Changes nothing and needs nothing but Python.
  - A thing that cannot be read is left out and named in RV(unknown).
options:
  paths:
    description: Paths whose file systems are of interest. They need not exist yet.
    type: list
    elements: path
    default: []
  names:
    description: Host names to look up, each with the name of its address.
    type: list
    elements: str
    default: []
  libraries:
    description: Directories of M(metal.kafka.python_library) on the machine.
    type: list
    elements: path
    default: []
  left:
    description: Note of M(metal.kafka.machine_baseline) that the machine is compared with.
    type: dict
    suboptions:
      cluster:
        description: Name of the cluster.
        type: str
        required: true
      kept:
        description: File of the note.
        type: path
        required: true
      textfiles:
        description: Directory of M(metal.kafka.maintenance) on the machine; empty for none.
        type: str
        default: ''
  socket:
    description: Socket of the container engine, which knows whose a container is.
    type: path
    default: /var/run/docker.sock
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
    names: [node2.example.com]
  register: machine
"""

RETURN = r"""
facts:
  description:
    - C(system) (id, version, name), C(architecture), C(python), C(kernel) (its release), C(memory)
      in bytes, C(addresses), C(identity) (hostname, machine_id).
    - C(paths) by path (mount, device, system, free and total bytes, kind of file system, options,
      read_only, disk, inodes, free_inodes).
    - C(listeners) (address, port, process, container, cluster), C(interfaces) (name, mac, mtu,
      address), C(ephemeral) (first and last port for outgoing connections, reserved ranges).
    - C(names) by name (addresses, reverse, whether that is confirmed); null for one without an
      answer in time.
    - C(engine) (version, api, storage driver, root, live_restore, memory_limit, protections, the
      names of its images, and whether the host has the Python library that modules speak to it
      with); null without an engine.
    - C(libraries), the digest of the archive that each was unpacked from; empty for none.
    - C(left), where O(left) is given (declared, what was when the note was written, empty without
      one; differs, in what the machine does from it, a sentence each; still, the kind of service by
      the name of each container that is as it was left, but stopped).
    - C(members), where O(left) is given, what the machine has of the cluster, read from its disks,
      with or without an engine (running, its containers that run; configured, its services that
      have a folder of configuration; roots, fingerprints of the CAs that these trust; data, those
      of O(paths) with data of Kafka or its metadata; unread, what could not be read, with the
      reason).
    - C(silence), why the engine does not answer; empty where it does.
    - C(operation), where O(left) is given, as M(metal.kafka.operation_info) returns it.
    - C(limits) (open_files, processes, map_count, swap in bytes), C(cgroup) (version, memory),
      C(protections) (selinux, apparmor, apparmor_parser).
    - C(clock) (time in seconds since 1970, synchronised; null where the kernel does not tell).
  type: dict
  returned: always
unknown:
  description: Why a fact is missing, by its name.
  type: dict
  returned: always
asked:
  description: Times on the control node between which C(clock) was read, C(before) and C(after).
  type: dict
  returned: always
"""

import platform
import time

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._containers import host_baseline
from ..module_utils._host import (
    engine_api,
    engine_facts,
    kernel,
    listeners,
    machine_facts,
    network,
    operation_state,
    procfs,
    trusted_cas,
)

# Written by python_library beside what it has unpacked.
STAMP = ".digest"


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            "paths": {"type": "list", "elements": "path", "default": []},
            "names": {"type": "list", "elements": "str", "default": []},
            "libraries": {"type": "list", "elements": "path", "default": []},
            "left": {
                "type": "dict",
                "options": {
                    "cluster": {"type": "str", "required": True},
                    "kept": {"type": "path", "required": True},
                    "textfiles": {"type": "str", "default": ""},
                },
            },
            "socket": {"type": "path", "default": engine_api.SOCKET},
        },
        supports_check_mode=True,
    )
    asked = module.params
    readers = {
        "clock": lambda: {"time": time.time(), "synchronised": kernel.synchronised()},
        "system": lambda: procfs.system(procfs.read("/etc/os-release")),
        "architecture": platform.machine,
        "python": platform.python_version,
        "kernel": platform.release,
        "memory": lambda: procfs.memory(procfs.read("/proc/meminfo")),
        "identity": lambda: {
            "hostname": platform.node(),
            "machine_id": machine_facts.text_or("/etc/machine-id", ""),
        },
        "addresses": machine_facts.addresses,
        "interfaces": network.interfaces,
        "ephemeral": machine_facts.ephemeral,
        "libraries": lambda: {
            path: machine_facts.text_or(f"{path}/{STAMP}", "") for path in asked["libraries"]
        },
        "names": lambda: network.lookups(asked["names"]),
        "paths": lambda: machine_facts.paths(asked["paths"]),
        "listeners": lambda: listeners.read_listeners(asked["socket"]),
        "engine": lambda: engine_facts.engine(asked["socket"]),
        "silence": lambda: engine_facts.no_response_reason(asked["socket"]),
        "limits": machine_facts.limits,
        "cgroup": machine_facts.cgroup,
        "protections": machine_facts.protections,
    }
    if asked["left"]:
        cluster, kept = asked["left"]["cluster"], asked["left"]["kept"]
        readers["left"] = lambda: host_baseline.compare(asked["socket"], cluster, kept)
        readers["members"] = lambda: trusted_cas.inspect(
            asked["socket"], cluster, kept, asked["paths"]
        )
        readers["operation"] = lambda: operation_state.read(cluster, asked["left"]["textfiles"])
    facts, unknown = {}, {}
    for name, read in readers.items():
        try:
            facts[name] = read()
        except (OSError, ValueError) as error:
            unknown[name] = str(error)
    module.exit_json(changed=False, facts=facts, unknown=unknown)


if __name__ == "__main__":
    main()
