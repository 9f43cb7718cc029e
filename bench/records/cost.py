"""CPU time of this container, from the kernel's counters."""

from pathlib import Path

# Files of cgroup v2 and v1.
CGROUP_V2 = Path("/sys/fs/cgroup/cpu.stat")
CGROUP_V1 = Path("/sys/fs/cgroup/cpuacct/cpuacct.usage")


def cpu_seconds() -> float:
    """Return the CPU time of all processes in the container in seconds."""
    if CGROUP_V2.exists():
        return int(CGROUP_V2.read_text().split()[1]) / 1e6
    return int(CGROUP_V1.read_text()) / 1e9
