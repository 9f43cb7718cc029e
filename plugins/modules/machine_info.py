#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: machine_info
author: The kafka-metal authors (!UNKNOWN)
short_description: Facts of a machine that services need, in one round trip
description:
  - Reads operating system, kernel, limits, memory, clock, control groups, protections, interfaces,
    the file systems of O(paths), the addresses of O(names), the container engine, and the
    listening TCP ports with their owners. Changes nothing and needs only Python.
  - Facts that cannot be read are omitted and listed in RV(unknown).
options:
  paths:
    description: Paths whose file systems to inspect. They need not exist yet.
    type: list
    elements: path
    default: []
  names:
    description: Host names to look up, including the reverse lookup of the first address.
    type: list
    elements: str
    default: []
  libraries:
    description: Directories of M(metal.kafka.python_library) on the machine.
    type: list
    elements: path
    default: []
  baseline:
    description: >-
      Where the baseline of M(metal.kafka.machine_baseline) is, to compare the machine with it.
    type: dict
    suboptions:
      cluster:
        description: Name of the cluster.
        type: str
        required: true
      file:
        description: File of the baseline.
        type: path
        required: true
      textfiles:
        description: Directory of M(metal.kafka.maintenance) on the machine; empty for none.
        type: str
        default: ''
  applied:
    description: Files of M(metal.kafka.applied_content) to read.
    type: list
    elements: path
    default: []
  socket:
    description: Socket of the container engine.
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
- name: Read the machine's facts
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
      address), C(ephemeral) (first and last ephemeral port, reserved ranges).
    - C(names) by name (addresses, reverse, confirmed); null for a name without a result in time.
    - C(engine) (version, api, storage driver, root, live_restore, memory_limit, protections, the
      images, and library (whether the host has the Python library that Ansible's Docker modules
      need)); null without an engine.
    - C(libraries), the digest of each library's archive; empty for none.
    - C(baseline), if O(baseline) is set (declared, the declarations of the baseline, empty without
      one; differs, changes since the baseline, one message each; stopped, stopped containers with
      an unchanged configuration, the kind of service by container name; unhealthy, names of running
      containers whose health check does not succeed, if there is a baseline).
    - C(cluster), if O(baseline) is set, the state of the cluster on the machine, read from its
      disks, with or without an engine (running, its running containers; configured, its services
      with a configuration directory; roots, fingerprints of their trusted CAs; data, those of
      O(paths) with data of Kafka or its metadata service; unreadable, files that could not be read,
      with the reason).
    - C(engine_error), why the engine does not respond; empty if it does.
    - C(applied), by path of O(applied), the applied state (state), or the reason why it cannot be
      read (error).
    - C(instances), if O(baseline) is set, names of the cluster's instances with a container, by
      kind of service; without an engine only running ones.
    - C(operation), if O(baseline) is set, as returned by M(metal.kafka.machine_state).
    - C(limits) (open_files, processes, map_count, swap in bytes), C(cgroup) (version, memory),
      C(protections) (selinux, apparmor, apparmor_parser).
    - C(clock) (time in seconds since 1970, synchronised; null if it is unknown).
  type: dict
  returned: always
unknown:
  description: Errors of facts that could not be read, by name.
  type: dict
  returned: always
control_node_time:
  description: Times on the control node C(before) and C(after) C(clock) was read.
  type: dict
  returned: always
"""

import platform
import time
from collections.abc import Callable
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._containers import host_baseline
from ..module_utils._content.applied_file import describe_applied
from ..module_utils._host import (
    container_list,
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

# Written by python_library into each unpacked library.
STAMP = ".digest"


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            "paths": {"type": "list", "elements": "path", "default": []},
            "names": {"type": "list", "elements": "str", "default": []},
            "libraries": {"type": "list", "elements": "path", "default": []},
            "baseline": {
                "type": "dict",
                "options": {
                    "cluster": {"type": "str", "required": True},
                    "file": {"type": "path", "required": True},
                    "textfiles": {"type": "str", "default": ""},
                },
            },
            "applied": {"type": "list", "elements": "path", "default": []},
            "socket": {"type": "path", "default": engine_api.SOCKET},
        },
        supports_check_mode=True,
    )
    given = module.params
    readers: dict[str, Callable[[], Any]] = {
        "clock": lambda: {"time": time.time(), "synchronised": kernel.is_clock_synchronised()},
        "system": lambda: procfs.system(procfs.read("/etc/os-release")),
        "architecture": platform.machine,
        "python": platform.python_version,
        "kernel": platform.release,
        "memory": lambda: procfs.memory(procfs.read("/proc/meminfo")),
        "identity": lambda: {
            "hostname": platform.node(),
            "machine_id": machine_facts.read_text_or("/etc/machine-id", ""),
        },
        "addresses": machine_facts.addresses,
        "interfaces": network.interfaces,
        "ephemeral": machine_facts.ephemeral,
        "libraries": lambda: {
            path: machine_facts.read_text_or(f"{path}/{STAMP}", "") for path in given["libraries"]
        },
        "names": lambda: network.look_up_all(given["names"]),
        "paths": lambda: machine_facts.paths(given["paths"]),
        "listeners": lambda: listeners.read_listeners(given["socket"]),
        "engine": lambda: engine_facts.engine(given["socket"]),
        "engine_error": lambda: engine_facts.no_response_reason(given["socket"]),
        "limits": machine_facts.limits,
        "cgroup": machine_facts.cgroup,
        "protections": machine_facts.protections,
        "applied": lambda: {path: describe_applied(path) for path in given["applied"]},
    }
    if baseline := given["baseline"]:
        cluster, file = baseline["cluster"], baseline["file"]
        readers["baseline"] = lambda: host_baseline.compare(given["socket"], cluster, file)
        readers["cluster"] = lambda: trusted_cas.inspect(
            given["socket"], cluster, file, given["paths"]
        )
        readers["instances"] = lambda: container_list.list_instances(given["socket"], cluster)
        readers["operation"] = lambda: operation_state.read(cluster, baseline["textfiles"])
    facts, unknown = {}, {}
    for name in readers:
        try:
            facts[name] = readers[name]()
        except (OSError, ValueError) as error:
            unknown[name] = str(error)
    module.exit_json(changed=False, facts=facts, unknown=unknown)


if __name__ == "__main__":
    main()
