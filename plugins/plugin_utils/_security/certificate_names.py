# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Who needs a certificate, and the names under which others reach it; no I/O."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Sequence
from typing import Any

from .._catalogue import SERVICES
from .security_modes import OPERATOR

# What every machine calls itself.
OWN = ("localhost", "127.0.0.1")
ANY = ("0.0.0.0", "::", "")
# Added to the name of a server's certificate for the one that it uses with other servers.
QUORUM = "-quorum"


def _pattern(template: str) -> str:
    """What a name of the catalogue can become: numbers for ids, any text for names."""
    text = re.escape(template)
    return re.sub(r"\\{(\w+)\\}", lambda it: r"\d+" if it[1].endswith("_id") else ".+", text)


# Names in the store, and subjects of certificates, of the platform itself: a user with one of them
# would get its secrets, or its rights.
RESERVED = re.compile(
    "|".join(
        (
            OPERATOR,
            # Spark's own secrets.
            "spark-(rpc|pages)",
            # The password of Prometheus and Alertmanager.
            "monitoring-web",
            *(
                _pattern(template)
                for service in SERVICES
                for shown in service.certificates
                for template in (shown.name, shown.subject)
            ),
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


def declared(
    name: str, common_name: str, reached: Iterable[str], usages: Sequence[str], authority: str = ""
) -> dict[str, Any]:
    """One certificate as the module ``credentials`` takes it."""
    # As in a URL, an IPv6 address may have brackets.
    plain = dict.fromkeys(each.strip("[]") for each in reached)
    names = [each for each in plain if each not in ANY]
    return {
        "name": name,
        "common_name": common_name,
        "dns": [each for each in names if not is_address(each)],
        "ips": [each for each in names if is_address(each)],
        "usages": list(usages),
        **({"authority": authority} if authority else {}),
    }


def of_operator() -> dict[str, Any]:
    """That of the operator, who is above all ACLs."""
    return declared(OPERATOR, OPERATOR, [OPERATOR], ("client",))


def of_users(users: Iterable[str]) -> list[dict[str, Any]]:
    """One certificate for each user, where clients show certificates."""
    return [declared(user, user, [user], ("client",)) for user in users]
