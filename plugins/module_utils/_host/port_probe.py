# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Reachability of ports, with temporary listeners for ports that no service uses yet.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import contextlib
import errno
import os
import selectors
import socket
import time
from collections.abc import Iterable
from typing import Any

from .._common.deadlines import query_all

# Process name of the helper; the kernel keeps 15 characters.
HELPER = "km-port-probe"

# Time for three SYNs, at 0 s, 1 s and 3 s: a single lost packet is no error.
CONNECT_SECONDS = 3.5
ANSWER_SECONDS = 12.0

Endpoint = tuple[str, int]

_STATES = {
    errno.ECONNREFUSED: "refused",
    errno.EHOSTUNREACH: "no route",
    errno.ENETUNREACH: "no route",
    errno.ETIMEDOUT: "timeout",
}


def connect(endpoint: Endpoint, seconds: float = CONNECT_SECONDS) -> str:
    """Try to connect; return connected, refused, timeout, no route, unresolved or an error."""
    try:
        socket.create_connection(endpoint, timeout=seconds).close()
    except socket.gaierror:
        return "unresolved"
    except socket.timeout:  # noqa: UP041 (another class than TimeoutError before Python 3.10)
        return "timeout"
    except OSError as error:
        return _STATES.get(error.errno or 0, error.strerror or str(error))
    return "connected"


def connect_all(
    endpoints: Iterable[Endpoint], seconds: float = ANSWER_SECONDS
) -> list[dict[str, Any]]:
    """Try all endpoints in parallel and return their states; timeout for those not finished."""
    wanted = list(dict.fromkeys(endpoints))
    found = query_all(wanted, connect, seconds)
    return [
        {"address": address, "port": port, "state": found.get((address, port), "timeout")}
        for address, port in wanted
    ]


def bind_all(
    endpoints: Iterable[Endpoint],
) -> tuple[dict[Endpoint, socket.socket], dict[Endpoint, str]]:
    """Listen on endpoints; return the sockets, and the error for each other endpoint."""
    opened: dict[Endpoint, socket.socket] = {}
    unbound: dict[Endpoint, str] = {}
    for address, port in dict.fromkeys(endpoints):
        try:
            opened[address, port] = _bind(address, port)
        except OSError as error:
            unbound[address, port] = error.strerror or str(error)
    return opened, unbound


def _bind(address: str, port: int) -> socket.socket:
    anywhere = address in {"", "*", "0.0.0.0"}
    found = socket.getaddrinfo(
        None if anywhere else address,
        port,
        family=socket.AF_INET if anywhere else socket.AF_UNSPEC,
        type=socket.SOCK_STREAM,
        flags=socket.AI_PASSIVE,
    )
    family, kind, protocol, _, where = found[0]
    listener = socket.socket(family, kind, protocol)
    try:
        # Old connections must not prevent the service from using the port afterwards.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(where)
        listener.listen(64)
    except OSError:
        listener.close()
        raise
    return listener


def switch_name(token: str) -> str:
    """Return the name of a helper's control socket, in Linux' abstract namespace."""
    return f"\0kafka-metal-port-probe-{token}"


def stop(token: str, timeout: float = 3.0) -> bool:
    """Stop the helper of a token and wait until its ports are free; return whether it existed."""
    found, end = False, time.monotonic() + timeout
    while time.monotonic() < end:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as switch:
            switch.settimeout(1.0)
            try:
                switch.connect(switch_name(token))
                found = True
                # The helper closes this connection last.
                switch.recv(1)
            except ConnectionRefusedError:
                return found
            except OSError:
                time.sleep(0.05)
    return found


def serve(listeners: Iterable[socket.socket], switch: socket.socket, seconds: float) -> None:
    """Accept and close connections until one arrives at ``switch`` or time is over."""
    end = time.monotonic() + seconds
    everything = [*listeners, switch]
    with selectors.DefaultSelector() as selector:
        for listener in everything:
            listener.setblocking(False)
            selector.register(listener, selectors.EVENT_READ)
        while (left := end - time.monotonic()) > 0:
            for key, _ in selector.select(left):
                caller = None
                with contextlib.suppress(OSError):
                    caller = key.fileobj.accept()[0]  # type: ignore[union-attr]
                if key.fileobj is switch:
                    for listener in everything:
                        listener.close()
                    if caller:
                        caller.close()
                    return
                # Clients of the real service must not wait for a response.
                if caller:
                    caller.close()


def serve_detached(listeners: list[socket.socket], token: str, seconds: float) -> None:
    """Run the listeners in a detached helper process that ends after ``seconds``."""
    switch = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    switch.bind(switch_name(token))
    switch.listen(1)
    if child := os.fork():
        for each in (*listeners, switch):
            each.close()
        # This is the first of two forks: it ends at once, and init adopts the helper.
        os.waitpid(child, 0)
        return
    try:
        os.setsid()
        # No process may wait for the helper: neither the module's parent nor SSH's pipes.
        if os.fork():
            os._exit(0)
        os.chdir("/")
        with open("/proc/self/comm", "w", encoding="ascii") as name:
            name.write(HELPER)
        kept = {each.fileno() for each in (*listeners, switch)}
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nothing, number)
        for number in map(int, os.listdir("/proc/self/fd")):
            if number > 2 and number not in kept:
                with contextlib.suppress(OSError):
                    os.close(number)
        serve(listeners, switch, seconds)
    finally:
        os._exit(0)
