#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: machine_info
author: The kafka-metal authors
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
    description: Note of M(metal.kafka.machine_left) that the machine is compared with.
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

import contextlib
import os
import platform
import shutil
import time
from collections.abc import Iterable
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._containers import host_baseline
from ..module_utils._host import (
    engine_facts,
    filesystems,
    kernel,
    network,
    operation_state,
    port_probe,
    procfs,
    trusted_cas,
)

# Written by python_library beside what it has unpacked.
STAMP = ".digest"


def text(path: str) -> str:
    """Text of a small file, without its end of line."""
    return procfs.read(path).strip()


def text_or(path: str, otherwise: Any) -> Any:
    """The same; ``otherwise`` on a kernel that has no such file."""
    with contextlib.suppress(OSError):
        return text(path)
    return otherwise


def addresses() -> list[str]:
    names = {platform.node(), platform.node().split(".")[0]}
    return [
        *sorted(names),
        *procfs.local_addresses(procfs.read("/proc/net/fib_trie")),
        *network.addresses_v6(text_or("/proc/net/if_inet6", "")),
    ]


def paths(wanted: Iterable[str]) -> dict[str, Any]:
    mountinfo = procfs.read("/proc/self/mountinfo")
    table, styles = procfs.mounts(mountinfo), filesystems.styles(mountinfo)
    places = {path: procfs.place(path, table) for path in wanted}
    # Several paths lie on one file system: asked once.
    details = {
        mount: filesystems.details(mount, styles) for mount in {p["mount"] for p in places.values()}
    }
    return {path: {**place, **details[place["mount"]]} for path, place in places.items()}


def listeners(socket: str) -> list[dict[str, Any]]:
    tables = [procfs.read("/proc/net/tcp")]
    # A kernel without IPv6 has no second table.
    with contextlib.suppress(FileNotFoundError):
        tables.append(procfs.read("/proc/net/tcp6"))
    sockets = [found for table in tables for found in procfs.listening(table)]
    found = procfs.listeners(sockets, procfs.socket_owners(), procfs.containers(socket))
    # Left by an interrupted run for a minute: it makes room for anybody.
    return [listener for listener in found if listener["process"] != port_probe.HELPER]


def limits() -> dict[str, Any]:
    pid = kernel.engine_process()
    sysctl = "/proc/sys"
    return {
        "open_files": kernel.open_files(
            text(f"/proc/{pid}/limits"),
            text(f"/proc/{pid}/status"),
            int(text(f"{sysctl}/fs/nr_open")),
        ),
        "processes": min(
            int(text(f"{sysctl}/kernel/pid_max")), int(text(f"{sysctl}/kernel/threads-max"))
        ),
        "map_count": int(text(f"{sysctl}/vm/max_map_count")),
        "swap": kernel.swap(text_or("/proc/swaps", "")),
    }


def ephemeral() -> dict[str, Any]:
    folder = "/proc/sys/net/ipv4"
    first, last = map(int, text(f"{folder}/ip_local_port_range").split())
    reserved = kernel.port_ranges(text_or(f"{folder}/ip_local_reserved_ports", ""))
    return {"first": first, "last": last, "reserved": reserved}


def cgroup() -> dict[str, Any]:
    return kernel.cgroup(
        text("/proc/filesystems"),
        text_or("/sys/fs/cgroup/cgroup.controllers", None),
        text_or("/proc/cgroups", ""),
    )


def protections() -> dict[str, Any]:
    selinux = {"1": "enforcing", "0": "permissive"}
    sbin = os.pathsep.join(["/usr/sbin", "/sbin", os.environ.get("PATH", "")])
    return {
        "selinux": selinux.get(text_or("/sys/fs/selinux/enforce", "")),
        "apparmor": text_or("/sys/module/apparmor/parameters/enabled", "N") == "Y",
        "apparmor_parser": shutil.which("apparmor_parser", path=sbin) is not None,
    }


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
            "socket": {"type": "path", "default": "/run/docker.sock"},
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
            "machine_id": text_or("/etc/machine-id", ""),
        },
        "addresses": addresses,
        "interfaces": network.interfaces,
        "ephemeral": ephemeral,
        "libraries": lambda: {path: text_or(f"{path}/{STAMP}", "") for path in asked["libraries"]},
        "names": lambda: network.lookups(asked["names"]),
        "paths": lambda: paths(asked["paths"]),
        "listeners": lambda: listeners(asked["socket"]),
        "engine": lambda: engine_facts.engine(asked["socket"]),
        "silence": lambda: engine_facts.silence(asked["socket"]),
        "limits": limits,
        "cgroup": cgroup,
        "protections": protections,
    }
    if asked["left"]:
        cluster, kept = asked["left"]["cluster"], asked["left"]["kept"]
        readers["left"] = lambda: host_baseline.look(asked["socket"], cluster, kept)
        readers["members"] = lambda: trusted_cas.look(
            asked["socket"], cluster, kept, asked["paths"]
        )
        readers["operation"] = lambda: operation_state.look(cluster, asked["left"]["textfiles"])
    facts, unknown = {}, {}
    for name, read in readers.items():
        try:
            facts[name] = read()
        except (OSError, ValueError) as error:
            unknown[name] = str(error)
    module.exit_json(changed=False, facts=facts, unknown=unknown)


if __name__ == "__main__":
    main()
