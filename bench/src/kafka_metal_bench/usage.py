"""CPU time of a measurement, from the kernel's counters."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Iterable, List, Mapping, Set

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Cpu:
    """CPU time since boot in seconds, of all cores."""

    busy: float
    idle: float
    steal: float


def parse_stat(text: str) -> Cpu:
    """Parse the first line of /proc/stat: user nice system idle iowait irq softirq steal."""
    ticks = [int(field) / TICKS for field in text.splitlines()[0].split()[1:9]]
    user, nice, system, idle, iowait, irq, softirq, steal = ticks
    return Cpu(user + nice + system + irq + softirq, idle + iowait, steal)


def stat_fields(text: str) -> List[str]:
    """Return the fields of /proc/PID/stat after the name, which may contain blanks and brackets."""
    return text.rpartition(")")[2].split()


def parse_process(text: str) -> float:
    """Return the CPU seconds of /proc/PID/stat."""
    fields = stat_fields(text)
    return (int(fields[11]) + int(fields[12])) / TICKS


def descendants(pids: Iterable[int], parents: Mapping[int, int]) -> Set[int]:
    """Return the processes and all their descendants; ``parents`` by process."""
    found = set(pids)
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def read_parents() -> Dict[int, int]:
    """Return the parent of each process of the machine, without processes that have exited."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            text = (entry / "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        found[int(entry.name)] = int(stat_fields(text)[1])
    return found


class Meter:
    """CPU time of the machine and of some processes since the creation of the meter.

    Includes descendants, because the first process of a broker is its guard.
    """

    def __init__(self, pids: Iterable[int]) -> None:
        """Start measuring."""
        roots = list(pids)
        self.pids: List[int] = sorted(descendants(roots, read_parents())) if roots else []
        self.machine = parse_stat(Path("/proc/stat").read_text(encoding="ascii"))
        self.processes = self._processes()

    def _processes(self) -> float:
        total = 0.0
        for pid in self.pids:
            path = Path(f"/proc/{pid}/stat")
            if path.exists():
                total += parse_process(path.read_text(encoding="utf-8", errors="replace"))
        return total

    def read(self) -> Dict[str, float]:
        """Return busy and stolen shares, and CPU seconds of the machine and of the processes."""
        now = parse_stat(Path("/proc/stat").read_text(encoding="ascii"))
        busy, idle = now.busy - self.machine.busy, now.idle - self.machine.idle
        steal = now.steal - self.machine.steal
        total = max(busy + idle + steal, 1 / TICKS)
        results = {
            "cpu_busy": round((busy + steal) / total, 4),
            "cpu_steal": round(steal / total, 4),
            "cpu_s": round(busy, 2),
        }
        if self.pids:
            results["broker_cpu_s"] = round(self._processes() - self.processes, 2)
        return results
