# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What a Linux machine says of itself under /proc and /etc, and what its engine says of ports.

Runs on the hosts, with whatever Python they have from 3.9 on and nothing but its library.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

from . import container_processes

ENGINE_TIMEOUT = 5.0
CLUSTER_LABEL = "kafka-metal.cluster"
SERVICE_LABEL = "kafka-metal.service"
LISTEN = "0A"

_CONTAINER = re.compile(r"(?:docker[-/]|/)([0-9a-f]{64})(?:\.scope)?$", re.MULTILINE)
_ESCAPED = re.compile(r"\\([0-7]{3})")
_LOCAL_ADDRESS = re.compile(r"\|-- (\S+)\n\s+/32 host LOCAL")


def system(os_release: str) -> dict[str, str]:
    """``id``, ``version`` and ``name`` from the text of /etc/os-release."""
    pairs = (line.split("=", 1) for line in os_release.splitlines() if "=" in line)
    values = {key.strip(): value.strip().strip("\"'") for key, value in pairs}
    name = values.get("PRETTY_NAME") or values.get("NAME") or "an unnamed system"
    return {"id": values.get("ID", ""), "version": values.get("VERSION_ID", ""), "name": name}


def memory(meminfo: str) -> int:
    """Bytes of memory from the text of /proc/meminfo."""
    match = re.search(r"^MemTotal:\s+(\d+) kB", meminfo, re.MULTILINE)
    if match is None:
        raise ValueError("/proc/meminfo has no MemTotal")
    return int(match[1]) * 1024


def local_addresses(fib_trie: str) -> list[str]:
    """IPv4 addresses of the machine from /proc/net/fib_trie, without loopback."""
    found = set(_LOCAL_ADDRESS.findall(fib_trie))
    return sorted(address for address in found if not address.startswith("127."))


def mounts(mountinfo: str) -> dict[str, tuple[str, str]]:
    """Device number and source of each mount point, from /proc/self/mountinfo."""
    found = {}
    for line in mountinfo.splitlines():
        fields = line.split()
        source = fields[fields.index("-") + 2] if "-" in fields else ""
        point = _ESCAPED.sub(lambda match: chr(int(match[1], 8)), fields[4])
        # A later line covers an earlier one.
        found[point] = (fields[2], source)
    return found


def mount_of(path: str, points: Iterable[str]) -> str:
    """The mount point that holds the absolute ``path``: the longest that is one of its parents."""
    holding = [p for p in points if path == p or path.startswith(p.rstrip("/") + "/")]
    return max(holding, key=len, default="/")


def listening(table: str) -> Iterator[tuple[str, int, str]]:
    """Address, port and inode of each listening socket of a /proc/net/tcp or tcp6 table."""
    for line in table.splitlines()[1:]:
        fields = line.split()
        if len(fields) > 9 and fields[3] == LISTEN:
            address, port = fields[1].split(":")
            yield _address(address), int(port, 16), fields[9]


def _address(words: str) -> str:
    """Text of an address that the kernel wrote as 32-bit words in the machine's own order."""
    packed = b"".join(bytes.fromhex(words[i : i + 8])[::-1] for i in range(0, len(words), 8))
    mapped = packed.removeprefix(b"\0" * 10 + b"\xff" * 2)
    family = socket.AF_INET if len(mapped) == 4 else socket.AF_INET6
    return socket.inet_ntop(family, mapped)


def container_id(cgroup: str) -> str | None:
    """The container that a process is in, from its /proc/PID/cgroup; None for none."""
    match = _CONTAINER.search(cgroup)
    return match[1] if match else None


def listeners(
    sockets: Iterable[tuple[str, int, str]],
    owners: dict[str, tuple[str, str | None]],
    containers: list[dict[str, Any]],
) -> list[dict[str, Any]]:
    """One record per listening socket, with the container that holds it where there is one.

    ``owners`` maps inodes to process name and container id; ``containers`` is the engine's list. A
    port that the engine publishes belongs to the container behind it.
    """
    by_id = {container["Id"]: container for container in containers}
    published = {
        port["PublicPort"]: container
        for container in containers
        for port in container.get("Ports") or ()
        if port.get("PublicPort") and port.get("Type") == "tcp"
    }
    found = []
    for address, port, inode in sockets:
        process, identity = owners.get(inode, (None, None))
        container = by_id.get(identity or "")
        if container is None and process == "docker-proxy":
            container = published.get(port)
        names = (container or {}).get("Names") or [None]
        found.append(
            {
                "address": address,
                "port": port,
                "process": process,
                "container": names[0].lstrip("/") if names[0] else identity,
                "cluster": ((container or {}).get("Labels") or {}).get(CLUSTER_LABEL),
            }
        )
    return found


def socket_owners(proc: str = "/proc") -> dict[str, tuple[str, str | None]]:
    """Process name and container id by socket inode; only of processes that we may look at."""
    found = {}
    for pid in filter(str.isdigit, os.listdir(proc)):
        try:
            targets = [os.readlink(entry.path) for entry in os.scandir(f"{proc}/{pid}/fd")]
            inodes = [t[len("socket:[") : -1] for t in targets if t.startswith("socket:[")]
            if inodes:
                owner = (
                    read(f"{proc}/{pid}/comm").strip(),
                    container_id(read(f"{proc}/{pid}/cgroup")),
                )
                found.update(dict.fromkeys(inodes, owner))
        except OSError:
            # Gone meanwhile, or somebody else's.
            continue
    return found


class _Engine(http.client.HTTPConnection):
    """HTTP over the engine's socket."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=ENGINE_TIMEOUT)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def request(path: str, question: str) -> bytes:
    """The engine's answer to GET ``question``; empty for one that it refuses.

    Raises OSError or HTTPException when there is none within ENGINE_TIMEOUT seconds.
    """
    connection = _Engine(path)
    try:
        connection.request("GET", question)
        answer = connection.getresponse()
        return answer.read() if answer.status == 200 else b""
    finally:
        connection.close()


def ask(path: str, question: str) -> Any:
    """What the engine answers to GET ``question``, as JSON; None when it gives none."""
    try:
        return json.loads(request(path, question))
    except (OSError, http.client.HTTPException, ValueError):
        return None


def members(path: str, cluster: str) -> list[dict[str, Any]]:
    """The containers of a cluster, running or not; without an engine those that run."""
    wish = quote(json.dumps({"label": [f"{CLUSTER_LABEL}={cluster}"]}))
    listed = ask(path, f"/containers/json?all=1&filters={wish}")
    if isinstance(listed, list):
        return listed
    return [
        each for each in container_processes.found() if each["Labels"].get(CLUSTER_LABEL) == cluster
    ]


def containers(path: str) -> list[dict[str, Any]]:
    """Running containers as the engine lists them, or by their processes where it is silent."""
    listed = ask(path, "/containers/json")
    return listed if isinstance(listed, list) else container_processes.found()


def place(path: str, table: dict[str, tuple[str, str]]) -> dict[str, Any]:
    """Mount point, device, free and total bytes of ``path``, or of its nearest existing parent.

    ``system`` says that it lies on the file system of /. ``table`` is what mounts() returns.
    """
    real = os.path.realpath(path)
    while not os.path.exists(real):
        real = os.path.dirname(real)
    mount, space = mount_of(real, table), os.statvfs(real)
    number, source = table.get(mount, ("", ""))
    return {
        "mount": mount,
        "device": source,
        "system": number == table.get("/", ("/", ""))[0],
        "free": space.f_bavail * space.f_frsize,
        "total": space.f_blocks * space.f_frsize,
    }


def read(path: str) -> str:
    """Text of a small file."""
    with open(path, encoding="utf-8", errors="replace") as stream:
        return stream.read()
