"""Reject requests with an unknown Host header, as protection against DNS rebinding.

A web site can point its own name at 127.0.0.1, so that a user's browser reads our page for it.
Such requests have the name of the web site in the header Host.
"""

import ipaddress
from collections.abc import Iterable
from typing import Any

from .page import Application, Start


def is_allowed_host(host: str, names: Iterable[str]) -> bool:
    """Whether a Host header is an IP address, localhost or one of ``names``, with any port."""
    name = host.strip().lower()
    name = name[1:].split("]")[0] if name.startswith("[") else name.rsplit(":", 1)[0]
    if name.removesuffix(".") in {"localhost", *(each.lower() for each in names)}:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def restrict_hosts(app: Application, names: Iterable[str]) -> Application:
    """Return ``app`` with status 421 for requests to unknown hosts."""
    known = tuple(names)

    def check(request: dict[str, Any], start: Start) -> Iterable[bytes]:
        if is_allowed_host(request.get("HTTP_HOST", ""), known):
            return app(request, start)
        start("421 Misdirected Request", [("Content-Type", "text/plain; charset=utf-8")])
        return [b"Unknown host name: add it to monitoring_page_hosts.\n"]

    return check
