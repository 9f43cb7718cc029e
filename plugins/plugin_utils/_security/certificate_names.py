# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Who needs a certificate, and the names under which others reach it; no I/O."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .security_modes import BROKER, OPERATOR

# What every machine calls itself.
OWN = ("localhost", "127.0.0.1")
ANY = ("0.0.0.0", "::", "")
# All brokers are one to the ensemble: what one of them writes there, each may change.
ENSEMBLE_CLIENT = "brokers"
# And so are all masters of Spark.
MASTERS = "spark-masters"
# Added to the name of a server's certificate for the one that it uses with other servers.
QUORUM = "-quorum"
# Nobody comes in with the certificate of a proxy.
PROXY = "metrics"


# Of a server of an ensemble, to brokers and to other servers.
SERVER = "ensemble-"
# Names in the store, and subjects of certificates, of the platform itself: a user with one of them
# would get its secrets, or its rights.
RESERVED = re.compile(
    "|".join(
        (
            OPERATOR,
            f"{BROKER}.*",
            f"{SERVER}.*",
            ENSEMBLE_CLIENT,
            MASTERS,
            # Certificates of proxies, and their common subject.
            f"{PROXY}(-.*)?",
            # Spark's own secrets.
            "spark-(rpc|pages)",
            # The password of Prometheus and Alertmanager.
            "monitoring-web",
            # Certificates of brokers, servers and masters.
            r"kafka\d+",
            rf"zk\d+({QUORUM})?",
            ".*-ensemble",
        )
    )
)


def reserved(name: str) -> bool:
    """Whether a user of this name would be one with a part of the platform."""
    return RESERVED.fullmatch(name) is not None


def is_address(name: str) -> bool:
    """Whether ``name`` is an IP address."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def declared(name: str, common_name: str, reached: Iterable[str], usages: Sequence[str]) -> Any:
    """One certificate as the module ``credentials`` takes it."""
    names = [each for each in dict.fromkeys(reached) if each not in ANY]
    return {
        "name": name,
        "common_name": common_name,
        "dns": [each for each in names if not is_address(each)],
        "ips": [each for each in names if is_address(each)],
        "usages": list(usages),
    }


def of_brokers(brokers: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Two certificates for each broker, and that of the operator.

    ``brokers`` have ``id``, ``listeners`` by name with bind and advertise, and ``host``, the name
    of the inventory. One certificate is for listeners and other brokers, one for the ensemble.
    """
    found = []
    for broker in brokers:
        ways = [way for at in broker["listeners"].values() for way in (at["advertise"], at["bind"])]
        name = f"kafka{broker['id']}"
        reached = [*ways, broker["host"], *OWN]
        found += [
            declared(name, f"{BROKER}{broker['id']}", reached, ("server", "client")),
            declared(f"{name}-ensemble", ENSEMBLE_CLIENT, [broker["host"]], ("client",)),
        ]
    return [*found, declared(OPERATOR, OPERATOR, [OPERATOR], ("client",))]


def of_servers(servers: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Two certificates for each server of an ensemble: for its clients, and for the other servers.

    ``servers`` have ``id``, ``host`` (where others reach it) and ``name`` of the inventory. The
    second one is of a CA that signs for nobody else.
    """
    found = []
    for server in servers:
        shown = declared(
            f"zk{server['id']}",
            f"{SERVER}{server['id']}",
            [server["host"], server["name"], *OWN],
            ("server", "client"),
        )
        found += [shown, {**shown, "name": f"{shown['name']}{QUORUM}", "authority": "quorum"}]
    return found


def of_masters(masters: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One certificate for each master of Spark, with which it comes into the ensemble.

    ``masters`` have ``name`` and ``host``, where others reach it.
    """
    return [
        declared(f"{master['name']}-ensemble", MASTERS, [master["host"]], ("client",))
        for master in masters
    ]


def of_proxies(proxies: Mapping[str, str]) -> list[dict[str, Any]]:
    """One certificate for the proxy of each machine, for whoever reads its figures.

    ``proxies`` holds where others reach it, host:port, by machine.
    """
    return [
        declared(f"metrics-{machine}", PROXY, [_host(at), machine], ("server",))
        for machine, at in proxies.items()
    ]


def _host(address: str) -> str:
    """Name or address without its port."""
    return address.rpartition(":")[0].strip("[]")


def of_users(users: Iterable[str]) -> list[dict[str, Any]]:
    """One certificate for each user, where clients show certificates."""
    return [declared(user, user, [user], ("client",)) for user in users]
