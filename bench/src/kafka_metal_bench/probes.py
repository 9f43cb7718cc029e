"""Measure the limits of the machine: disks, loopback, CPU."""

from __future__ import annotations

import multiprocessing
import os
import socket
import time
import zlib
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Callable, Dict, List

from .command import run
from .tools import fio_bytes_s

SECONDS = 5
FILE_SIZE = 2 * 2**30
CHUNK = 1 << 20


def measure(directories: List[Path], log: Callable[[str], Any]) -> Dict[str, Any]:
    """Return the limits of disks, network interfaces, loopback and CPU."""
    limits: Dict[str, Any] = {"disks": [], "nics": nics()}
    for device, folder in sorted(one_per_device(directories).items()):
        log(f"measuring disk {device} with fio in {folder}")
        limits["disks"].append({"device": device, **disk(folder)})
    log("measuring loopback and CPU")
    limits["loopback_bytes_s"] = loopback(SECONDS)
    limits["cpu"] = cpu()
    return limits


def one_per_device(directories: List[Path]) -> Dict[str, Path]:
    """Return one directory for each device, because log dirs on a disk share its speed."""
    found: Dict[str, Path] = {}
    for directory in directories:
        found.setdefault(device_of(directory), directory)
    return found


def device_of(directory: Path) -> str:
    """Return the disk of a directory, such as sdb; its device number if it has no name."""
    number = os.stat(directory).st_dev
    path = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")
    if not path.exists():
        return f"{os.major(number)}:{os.minor(number)}"
    real = path.resolve()
    # A partition has no queue of its own, so return its disk.
    return real.parent.name if (real / "partition").exists() else real.name


def disk(folder: Path) -> Dict[str, float]:
    """Return sequential bytes/s without the page cache."""
    target = folder / "fio.tmp"
    results = {}
    try:
        for direction in ("write", "read"):
            argv = ["fio", "--name=limit", f"--filename={target}", f"--rw={direction}", "--bs=1M"]
            argv += [f"--size={FILE_SIZE}", "--direct=1", "--ioengine=libaio", "--iodepth=8"]
            argv += ["--time_based", f"--runtime={SECONDS}", "--output-format=json"]
            results[f"{direction}_bytes_s"] = fio_bytes_s(run(argv), direction)
    finally:
        target.unlink(missing_ok=True)
    return results


def nics() -> List[Dict[str, Any]]:
    """Return the speed of physical network interfaces in bytes/s."""
    found = []
    for path in sorted(Path("/sys/class/net").iterdir()):
        try:
            megabits = int((path / "speed").read_text(encoding="ascii"))
        except (OSError, ValueError):
            continue
        if megabits > 0 and (path / "device").exists():
            found.append({"name": path.name, "bytes_s": megabits * 1e6 / 8})
    return found


def receive(port: Connection) -> None:
    """Send the port and then the rate in bytes/s of one connection to ``port``."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port.send(server.getsockname()[1])
        connection, _ = server.accept()
        buffer, total, begun = bytearray(CHUNK), 0, time.monotonic()
        while True:
            count = connection.recv_into(buffer)
            if not count:
                break
            total += count
        port.send(total / (time.monotonic() - begun))


def loopback(seconds: float) -> float:
    """Return bytes/s of one TCP connection between two processes of this machine."""
    mine, theirs = multiprocessing.Pipe()
    receiver = multiprocessing.Process(target=receive, args=(theirs,))
    receiver.start()
    chunk, deadline = bytes(CHUNK), time.monotonic() + seconds
    with socket.create_connection(("127.0.0.1", mine.recv())) as connection:
        while time.monotonic() < deadline:
            connection.sendall(chunk)
    rate = float(mine.recv())
    receiver.join()
    return rate


def cpu() -> Dict[str, float]:
    """Return bytes/s of one core: CRC-32 of 64 KiB, computed for every batch, and copies of 16 MiB.

    Copies limit all transfers without zero-copy.
    """
    block, large = os.urandom(1 << 16), bytearray(os.urandom(16 << 20))
    return {
        "crc32_bytes_s": rate(lambda: zlib.crc32(block), len(block)),
        "copy_bytes_s": rate(lambda: bytes(large), len(large)),
    }


def rate(work: Callable[[], Any], size: int, seconds: float = 1.0) -> float:
    """Return bytes/s of ``work`` on ``size`` bytes, called repeatedly for ``seconds``."""
    begun, count = time.monotonic(), 0
    while time.monotonic() - begun < seconds:
        work()
        count += 1
    return count * size / (time.monotonic() - begun)
