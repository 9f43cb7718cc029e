# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Names, addresses and interfaces as a machine sees them.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import struct
from collections.abc import Iterable
from typing import Any

from .._common.deadlines import query_all

# The resolver waits 5 s for each server; a machine that waits that long is reported.
RESOLVE_SECONDS = 4.0
_SIOCGIFADDR = 0x8915


def addresses_v6(if_inet6: str) -> list[str]:
    """Global IPv6 addresses of the machine, from the text of /proc/net/if_inet6."""
    rows = [line.split() for line in if_inet6.splitlines()]
    found = [bytes.fromhex(row[0]) for row in rows if len(row) == 6 and row[3] == "00"]
    return sorted(socket.inet_ntop(socket.AF_INET6, packed) for packed in found)


def resolved(name: str) -> list[str]:
    """Addresses of a name, as the machine's own programs get them; none when there are none."""
    try:
        found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def looked_up(name: str) -> dict[str, Any]:
    """Addresses of a name, the name of the first address, and whether that leads back to it."""
    addresses = resolved(name)
    reverse, confirmed = None, False
    if addresses:
        with contextlib.suppress(OSError, UnicodeError):
            reverse = socket.gethostbyaddr(addresses[0])[0]
            confirmed = reverse == name or addresses[0] in resolved(reverse)
    return {"addresses": addresses, "reverse": reverse, "confirmed": confirmed}


def lookups(names: Iterable[str], seconds: float = RESOLVE_SECONDS) -> dict[str, Any]:
    """What each name leads to; a name without an answer in time has None."""
    wanted = list(names)
    found = query_all(wanted, looked_up, seconds, width=32)
    return {name: found.get(name) for name in wanted}


def interfaces(root: str = "/sys/class/net") -> list[dict[str, Any]]:
    """Name, hardware address, MTU and first IPv4 address of interfaces that have one; no loopback.

    What containers use has none, and there may be hundreds of it.
    """
    found = []
    for name in sorted(os.listdir(root)):
        folder = os.path.join(root, name)
        try:
            mac, mtu = _line(f"{folder}/address"), int(_line(f"{folder}/mtu"))
        except (OSError, ValueError):
            # No interface, or gone meanwhile.
            continue
        if name != "lo" and (address := _address(name)):
            found.append({"name": name, "mac": mac, "mtu": mtu, "address": address})
    return found


def _address(interface: str) -> str | None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            request = struct.pack("256s", interface.encode()[:15])
            answer = fcntl.ioctl(asked.fileno(), _SIOCGIFADDR, request)
        except OSError:
            return None
    return socket.inet_ntoa(answer[20:24])


def _line(path: str) -> str:
    with open(path, encoding="utf-8") as stream:
        return stream.read().strip()
