"""Requests are answered at an address or a known name: a page in somebody's browser has another.

A web site can point its own name at 127.0.0.1 and then read, in the visitor's browser, what answers
there (DNS rebinding). Its requests carry that name in the header Host.
"""

import ipaddress
from collections.abc import Iterable
from typing import Any

from .page import Application, Start


def allowed(host: str, names: Iterable[str]) -> bool:
    """Whether a header ``Host`` is an IP address, localhost or one of ``names``, any port."""
    name = host.strip().lower()
    name = name[1:].split("]")[0] if name.startswith("[") else name.rsplit(":", 1)[0]
    if name.removesuffix(".") in {"localhost", *(each.lower() for each in names)}:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def guarded(answer: Application, names: Iterable[str]) -> Application:
    """``answer`` for requests to a known host, 421 for others."""
    known = tuple(names)

    def check(asked: dict[str, Any], start: Start) -> Iterable[bytes]:
        if allowed(asked.get("HTTP_HOST", ""), known):
            return answer(asked, start)
        start("421 Misdirected Request", [("Content-Type", "text/plain; charset=utf-8")])
        return [b"This host name is not known here: add it to monitoring_page_hosts.\n"]

    return check
