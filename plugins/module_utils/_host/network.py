# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Names, addresses and interfaces of a machine.

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

# Seconds. The resolver waits 5 s for each server; slower lookups are reported as failed.
RESOLVE_SECONDS = 4.0
_SIOCGIFADDR = 0x8915


def addresses_v6(if_inet6: str) -> list[str]:
    """Return global IPv6 addresses, from the text of /proc/net/if_inet6."""
    rows = [line.split() for line in if_inet6.splitlines()]
    found = [bytes.fromhex(row[0]) for row in rows if len(row) == 6 and row[3] == "00"]
    return sorted(socket.inet_ntop(socket.AF_INET6, packed) for packed in found)


def resolve(name: str) -> list[str]:
    """Return the addresses of a name from the machine's resolver; none if it cannot resolve it."""
    try:
        found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def look_up(name: str) -> dict[str, Any]:
    """Return a name's addresses, the reverse name of the first one, and whether it matches."""
    addresses = resolve(name)
    reverse, confirmed = None, False
    if addresses:
        with contextlib.suppress(OSError, UnicodeError):
            reverse = socket.gethostbyaddr(addresses[0])[0]
            confirmed = reverse == name or addresses[0] in resolve(reverse)
    return {"addresses": addresses, "reverse": reverse, "confirmed": confirmed}


def look_up_all(names: Iterable[str], seconds: float = RESOLVE_SECONDS) -> dict[str, Any]:
    """Look up all names in parallel; None for a name without a result in time."""
    wanted = list(names)
    found = query_all(wanted, look_up, seconds, width=32)
    return {name: found.get(name) for name in wanted}


def interfaces(root: str = "/sys/class/net") -> list[dict[str, Any]]:
    """Return interfaces with an IPv4 address, without loopback: name, MAC, MTU, first address.

    Interfaces of containers have no address, and there may be hundreds of them.
    """
    found = []
    for name in sorted(os.listdir(root)):
        folder = os.path.join(root, name)
        try:
            mac, mtu = _read_line(f"{folder}/address"), int(_read_line(f"{folder}/mtu"))
        except (OSError, ValueError):
            # No interface, or removed since it was listed.
            continue
        if name != "lo" and (address := _address(name)):
            found.append({"name": name, "mac": mac, "mtu": mtu, "address": address})
    return found


def _address(interface: str) -> str | None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            request = struct.pack("256s", interface.encode()[:15])
            response = fcntl.ioctl(probe.fileno(), _SIOCGIFADDR, request)
        except OSError:
            return None
    return socket.inet_ntoa(response[20:24])


def _read_line(path: str) -> str:
    with open(path, encoding="utf-8") as stream:
        return stream.read().strip()
