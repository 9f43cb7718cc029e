"""Describe the measured machine, without names of the machine or its owner."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from typing import Any, Dict, List

from .command import CommandError, run
from .kernel import current
from .probes import device_of

SETTINGS = (
    "vm/dirty_ratio",
    "vm/dirty_background_ratio",
    "vm/dirty_bytes",
    "vm/dirty_background_bytes",
    "vm/swappiness",
    "vm/max_map_count",
    "net/core/rmem_max",
    "net/core/wmem_max",
)


def read(path: str) -> str:
    """Return the content of a file of the kernel; empty if it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def describe(directories: List[Path]) -> Dict[str, Any]:
    """Return processor, memory, kernel, disks and relevant settings."""
    model = re.search(r"model name\s*:\s*(.+)", read("/proc/cpuinfo"))
    memory = re.search(r"MemTotal:\s*(\d+) kB", read("/proc/meminfo"))
    system = re.search(r'PRETTY_NAME="?([^"\n]+)', read("/etc/os-release"))
    return {
        "processor": model[1] if model else platform.machine(),
        "cores": os.cpu_count() or 0,
        "memory_bytes": int(memory[1]) * 1024 if memory else 0,
        "virtual": "hypervisor" in read("/proc/cpuinfo"),
        "system": system[1] if system else platform.system(),
        "kernel": platform.release(),
        "engine": engine(),
        "cgroup": "v2" if Path("/sys/fs/cgroup/cgroup.controllers").exists() else "v1",
        "thp": current(read("/sys/kernel/mm/transparent_hugepage/enabled")),
        "settings": {name.replace("/", "."): read(f"/proc/sys/{name}") for name in SETTINGS},
        "disks": [disk(folder) for folder in directories],
    }


def engine() -> str:
    """Return the version of the container engine, or none."""
    try:
        return run(["docker", "version", "--format", "{{.Server.Version}}"]).strip()
    except (CommandError, OSError):
        return "none"


def disk(folder: Path) -> Dict[str, str]:
    """Return device, file system and queue settings of a log dir."""
    device = device_of(folder)
    queue = f"/sys/block/{device}/queue"
    kind = options = ""
    for line in read("/proc/mounts").splitlines():
        _, mount, fs, flags = line.split()[:4]
        # The last matching line is the active mount: later mounts hide earlier ones.
        if Path(mount) == folder or Path(mount) in folder.parents:
            kind, options = fs, flags
    return {
        "device": device,
        "file_system": kind,
        "options": options,
        "scheduler": current(read(f"{queue}/scheduler")),
        "readahead_kib": read(f"{queue}/read_ahead_kb"),
        "rotational": read(f"{queue}/rotational"),
    }
