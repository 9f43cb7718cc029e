# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Access to the host: files below a root directory, and a few system calls."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
from collections.abc import Iterator

# From linux/capability.h and sys/timex.h.
CAP_SYS_RESOURCE = 24
STA_UNSYNC = 0x0040

SEARCH_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"


class _Timex(ctypes.Structure):
    """The first members of struct timex; ``rest`` has room for the others."""

    _fields_ = (
        ("modes", ctypes.c_int),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_long * 32),
    )


class Host:
    """A machine's files and system calls; tests use another directory as ``root``."""

    def __init__(self, root: str = "/") -> None:
        """Resolve all paths below ``root``."""
        self.root = root

    def at(self, path: str) -> str:
        """Return the location of an absolute path of the host."""
        return os.path.join(self.root, path.lstrip("/"))

    def exists(self, path: str) -> bool:
        """Whether a file or directory exists."""
        return os.path.exists(self.at(path))

    def read(self, path: str) -> str | None:
        """Return the text of a file; None when it is missing or cannot be read."""
        try:
            with open(self.at(path), encoding="utf-8", errors="replace") as stream:
                return stream.read()
        except OSError:
            return None

    def names(self, path: str) -> list[str]:
        """Return the sorted names in a directory; none when it does not exist."""
        try:
            return sorted(os.listdir(self.at(path)))
        except OSError:
            return []

    def may_write(self, path: str) -> bool:
        """Whether this process may write to a file of the kernel."""
        return os.access(self.at(path), os.W_OK)

    def write_live(self, path: str, value: str) -> None:
        """Write a value to a file of the kernel. Raises OSError when the kernel rejects it."""
        with open(os.open(self.at(path), os.O_WRONLY), "w") as stream:
            stream.write(f"{value}\n")

    def replace(self, path: str, text: str | None) -> None:
        """Replace a file atomically, so that a boot reads no partial one. None removes it."""
        place = self.at(path)
        if text is None:
            os.unlink(place)
            return
        os.makedirs(os.path.dirname(place), mode=0o755, exist_ok=True)
        mode = (os.stat(place).st_mode & 0o7777) if os.path.exists(place) else 0o644
        temporary = f"{place}.new"
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, place)

    def systemd(self) -> bool:
        """Whether systemd is the init process of this host."""
        return self.exists("/run/systemd/system")

    def in_container(self) -> bool:
        """Whether the host is itself a container, with the clock and limits of its own host."""
        markers = ("/.dockerenv", "/run/.containerenv", "/run/systemd/container")
        return any(self.exists(marker) for marker in markers)

    def memory(self) -> int:
        """Return bytes of memory; 0 when it is unknown."""
        for line in (self.read("/proc/meminfo") or "").splitlines():
            if line.startswith("MemTotal:"):
                return int(line.split()[1]) * 1024
        return 0

    def processes(self) -> Iterator[tuple[int, str]]:
        """PIDs and names of processes of this host, without those of its containers."""
        own = self._namespace("self")
        for name in self.names("/proc"):
            if name.isdigit() and self._namespace(name) == own:
                comm = self.read(f"/proc/{name}/comm")
                if comm is not None:
                    yield int(name), comm.strip()

    def _namespace(self, process: str) -> str:
        try:
            return os.readlink(self.at(f"/proc/{process}/ns/pid"))
        except OSError:
            return ""

    def may_raise_limits(self) -> bool:
        """Whether a hard limit may be raised: CAP_SYS_RESOURCE."""
        for line in (self.read("/proc/self/status") or "").splitlines():
            if line.startswith("CapEff:"):
                return bool(int(line.split()[1], 16) >> CAP_SYS_RESOURCE & 1)
        return False

    def set_limit(self, process: int, kind: int, soft: int, hard: int) -> None:
        """Set a resource limit of a running process. Raises OSError when that is not allowed."""
        resource.prlimit(process, kind, (soft, hard))

    def units_changed(self) -> None:
        """Make systemd reload its units."""
        if self.systemd():
            self._run("systemctl", "daemon-reload")

    def uuid_of(self, device: str) -> str:
        """Return the UUID of the file system on a device; empty when there is none."""
        try:
            return self._run("blkid", "-o", "value", "-s", "UUID", device).strip()
        except OSError:
            return ""

    def swap_off(self, device: str) -> None:
        """Switch a swap device off. Raises OSError with the system's message."""
        self._run("swapoff", device)

    def clock(self) -> tuple[bool, float]:
        """Return whether the clock is synchronized, and its largest error in seconds."""
        timex = _Timex()
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.adjtimex(ctypes.byref(timex)) < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return not timex.status & STA_UNSYNC, timex.maxerror / 1e6

    def _run(self, *command: str) -> str:
        environment = {**os.environ, "LC_ALL": "C", "PATH": SEARCH_PATH}
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment, timeout=120
        )
        if done.returncode != 0:
            raise OSError(done.returncode, done.stderr.strip() or f"{command[0]} failed")
        return done.stdout
