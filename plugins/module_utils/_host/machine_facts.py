# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Facts of a machine that combine several files."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
from collections.abc import Iterable
from typing import Any

from . import filesystems, kernel, mount_table, network, procfs


def read_text(path: str) -> str:
    """Return the stripped text of a small file."""
    return procfs.read(path).strip()


def read_text_or(path: str, otherwise: Any) -> Any:
    """Return the stripped text of a file, or ``otherwise`` if it cannot be read."""
    with contextlib.suppress(OSError):
        return read_text(path)
    return otherwise


def addresses() -> list[str]:
    """Return host names and IP addresses of this machine."""
    names = {platform.node(), platform.node().split(".")[0]}
    return [
        *sorted(names),
        *procfs.local_addresses(procfs.read("/proc/net/fib_trie")),
        *network.addresses_v6(read_text_or("/proc/net/if_inet6", "")),
    ]


def paths(wanted: Iterable[str]) -> dict[str, Any]:
    """Return mount and file system of each directory, which need not exist yet."""
    table = mount_table.mounts_by_point(procfs.read(mount_table.OWN))
    places = {path: filesystems.describe_path(path, table) for path in wanted}
    # Several paths may be on one file system, which is inspected once.
    details = {
        mount: filesystems.describe_mount(mount, table)
        for mount in {p["mount"] for p in places.values()}
    }
    return {path: {**place, **details[place["mount"]]} for path, place in places.items()}


def limits() -> dict[str, Any]:
    """Return the largest limits that the engine can set for containers."""
    pid = kernel.engine_process()
    sysctl = "/proc/sys"
    return {
        "open_files": kernel.open_files(
            read_text(f"/proc/{pid}/limits"),
            read_text(f"/proc/{pid}/status"),
            int(read_text(f"{sysctl}/fs/nr_open")),
        ),
        "processes": min(
            int(read_text(f"{sysctl}/kernel/pid_max")),
            int(read_text(f"{sysctl}/kernel/threads-max")),
        ),
        "map_count": int(read_text(f"{sysctl}/vm/max_map_count")),
        "swap": kernel.swap_bytes(read_text_or("/proc/swaps", "")),
    }


def ephemeral() -> dict[str, Any]:
    """Return the range of ephemeral ports, and reserved ports."""
    folder = "/proc/sys/net/ipv4"
    first, last = map(int, read_text(f"{folder}/ip_local_port_range").split())
    reserved = kernel.port_ranges(read_text_or(f"{folder}/ip_local_reserved_ports", ""))
    return {"first": first, "last": last, "reserved": reserved}


def cgroup() -> dict[str, Any]:
    """Return the version of control groups, and whether they limit memory."""
    return kernel.cgroup(
        read_text("/proc/filesystems"),
        read_text_or("/sys/fs/cgroup/cgroup.controllers", None),
        read_text_or("/proc/cgroups", ""),
    )


def protections() -> dict[str, Any]:
    """Return the state of SELinux and AppArmor."""
    selinux = {"1": "enforcing", "0": "permissive"}
    sbin = os.pathsep.join(["/usr/sbin", "/sbin", os.environ.get("PATH", "")])
    return {
        "selinux": selinux.get(read_text_or("/sys/fs/selinux/enforce", "")),
        "apparmor": read_text_or("/sys/module/apparmor/parameters/enabled", "N") == "Y",
        "apparmor_parser": shutil.which("apparmor_parser", path=sbin) is not None,
    }
