"""Read certificates, drivers, masters and Prometheus at the same time."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from .items import in_parallel
from .remote_state import (
    TIMEOUT_S,
    TOO_LARGE,
    alerts,
    certificate_expiry,
    driver_state,
    engines,
    master_state,
    rules,
    targets,
)

# Time limit of a read: it waits at most TIMEOUT_S for each packet.
LIMIT_S = TIMEOUT_S + 1
CERTIFICATE = "certificate"
OF_PROMETHEUS: Mapping[str, Callable[..., Any]] = {
    "engines": engines, "alerts": alerts, "targets": targets, "rules": rules,
}  # fmt: skip
NO_RESPONSE = "Prometheus does not respond"
NO_CERTIFICATE = "no response, or no certificate of the CA"


@dataclass(frozen=True)
class Remote:
    """States by name, None without a response. ``unread``: reasons by kind and name."""

    certificates: Mapping[str, float] = field(default_factory=dict)
    pipelines: Mapping[str, Mapping[str, Any] | None] = field(default_factory=dict)
    masters: Mapping[str, Mapping[str, Any] | None] = field(default_factory=dict)
    engines: Mapping[str, float] = field(default_factory=dict)
    alerts: tuple[Mapping[str, Any], ...] = ()
    targets: tuple[Mapping[str, Any], ...] = ()
    # None: not read.
    rules: tuple[Mapping[str, Any], ...] | None = None
    unread: Mapping[tuple[str, str], str] = field(default_factory=dict)


def read_remote(config: Mapping[str, Any], limit: float = LIMIT_S) -> Remote:
    """Return the states of all endpoints of an exporter's configuration.

    Pipelines and masters without a response have their own metrics; only those whose response is
    too large are in ``unread``.
    """
    login, prometheus = config["page_login"], config["prometheus"]
    reads: dict[tuple[str, str], Callable[[], Any]] = {
        **{
            (CERTIFICATE, each): partial(certificate_expiry, each, config["ca_file"])
            for each in config["certificates"]
        },
        **{
            ("pipeline", name): partial(driver_state, where, name, login)
            for name, where in config["pipelines"].items()
        },
        **{
            ("master", name): partial(master_state, where, login)
            for name, where in config["masters"].items()
        },
    }
    if prometheus:
        for name, read in OF_PROMETHEUS.items():
            reads[name, prometheus] = partial(read, prometheus, config["prometheus_login"])
    items = in_parallel(reads, limit)
    expiries = {each: items.found.get((CERTIFICATE, each)) for each in config["certificates"]}
    unread = {
        where: why
        for where, why in items.unread.items()
        if where[0] in (CERTIFICATE, *OF_PROMETHEUS) or why == TOO_LARGE
    }
    if prometheus and items.found.get(("alerts", prometheus)) is None:
        unread.setdefault(("alerts", prometheus), NO_RESPONSE)
    for each, until in expiries.items():
        if until is None:
            unread.setdefault((CERTIFICATE, each), NO_CERTIFICATE)
    return Remote(
        certificates={each: until for each, until in expiries.items() if until is not None},
        pipelines={name: items.found.get(("pipeline", name)) for name in config["pipelines"]},
        masters={name: items.found.get(("master", name)) for name in config["masters"]},
        engines=items.found.get(("engines", prometheus), {}),
        alerts=items.found.get(("alerts", prometheus)) or (),
        targets=items.found.get(("targets", prometheus)) or (),
        rules=items.found.get(("rules", prometheus)),
        unread=unread,
    )
