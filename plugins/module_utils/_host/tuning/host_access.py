# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The one way to the host: files below a root, and the few calls that are no files."""

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
    """The head of struct timex; the kernel fills what follows."""

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
    """A machine seen through its files; tests plant a tree of their own as ``root``."""

    def __init__(self, root: str = "/") -> None:
        """All paths are taken below ``root``."""
        self.root = root

    def at(self, path: str) -> str:
        """The place of an absolute path of the host."""
        return os.path.join(self.root, path.lstrip("/"))

    def exists(self, path: str) -> bool:
        """Whether there is such a file or folder."""
        return os.path.exists(self.at(path))

    def read(self, path: str) -> str | None:
        """The text of a file; None when it is missing or cannot be read."""
        try:
            with open(self.at(path), encoding="utf-8", errors="replace") as stream:
                return stream.read()
        except OSError:
            return None

    def names(self, path: str) -> list[str]:
        """Names in a folder, in order; none when there is no such folder."""
        try:
            return sorted(os.listdir(self.at(path)))
        except OSError:
            return []

    def may_write(self, path: str) -> bool:
        """Whether the kernel would take a value; asked without writing one."""
        return os.access(self.at(path), os.W_OK)

    def write_live(self, path: str, value: str) -> None:
        """Hand a value to the kernel. OSError when it refuses."""
        with open(os.open(self.at(path), os.O_WRONLY), "w") as stream:
            stream.write(f"{value}\n")

    def replace(self, path: str, text: str | None) -> None:
        """Write a file in one step: a boot sees the old one or the new one. None removes it."""
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
        """Whether systemd is the init of this host."""
        return self.exists("/run/systemd/system")

    def in_container(self) -> bool:
        """Whether the host is a container itself, with the clock and limits of another machine."""
        marks = ("/.dockerenv", "/run/.containerenv", "/run/systemd/container")
        return any(self.exists(mark) for mark in marks)

    def memory(self) -> int:
        """Bytes of memory; 0 when the kernel does not tell."""
        for line in (self.read("/proc/meminfo") or "").splitlines():
            if line.startswith("MemTotal:"):
                return int(line.split()[1]) * 1024
        return 0

    def processes(self) -> Iterator[tuple[int, str]]:
        """Number and name of the processes of this host, without those of its containers."""
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
        """Set a resource limit of a running process. OSError when it may not be raised."""
        resource.prlimit(process, kind, (soft, hard))

    def units_changed(self) -> None:
        """Let systemd read its units again."""
        if self.systemd():
            self._run("systemctl", "daemon-reload")

    def uuid_of(self, device: str) -> str:
        """UUID of the file system on a device; empty when there is none."""
        try:
            return self._run("blkid", "-o", "value", "-s", "UUID", device).strip()
        except OSError:
            return ""

    def swap_off(self, device: str) -> None:
        """Take a swap device away. OSError with the system's words when it cannot be."""
        self._run("swapoff", device)

    def clock(self) -> tuple[bool, float]:
        """Whether the kernel's clock is kept by somebody, and its largest error in seconds."""
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
