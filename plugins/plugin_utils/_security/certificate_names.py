# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Declarations of certificates, and reserved names; no I/O."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Sequence
from typing import Any

from .._catalogue import SERVICES
from .security_modes import OPERATOR

# Names of the local machine.
OWN = ("localhost", "127.0.0.1")
ANY = ("0.0.0.0", "::", "")
# Suffix of the name of a server's certificate for connections between servers.
QUORUM = "-quorum"


def _pattern(template: str) -> str:
    """Regular expression of a name template in the catalogue: digits for ids, any text for names"""
    text = re.escape(template)
    return re.sub(r"\\{(\w+)\\}", lambda it: r"\d+" if it[1].endswith("_id") else ".+", text)


def api_password(kind: str, user: str) -> str:
    """Name of the password of a user of a service's API in the store."""
    return f"{kind}-{user}"


# Names of the platform in the store and in certificates: a user with such a name would get the
# platform's secrets or rights.
RESERVED = re.compile(
    "|".join(
        (
            OPERATOR,
            # Secrets of Spark.
            "spark-(rpc|pages)",
            # The password of Prometheus and Alertmanager.
            "monitoring-web",
            *(
                _pattern(api_password(service.kind, "{name}"))
                for service in SERVICES
                if service.api_users
            ),
            *(
                _pattern(template)
                for service in SERVICES
                for shown in service.certificates
                for template in (shown.name, shown.subject)
            ),
        )
    )
)


def is_reserved(name: str) -> bool:
    """Whether the name is reserved for the platform."""
    return RESERVED.fullmatch(name) is not None


def is_address(name: str) -> bool:
    """Whether ``name`` is an IP address."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def certificate_option(
    name: str,
    common_name: str,
    alt_names: Iterable[str],
    usages: Sequence[str],
    authority: str = "",
) -> dict[str, Any]:
    """One certificate as an option of the module ``credentials``."""
    # As in a URL, an IPv6 address may have brackets.
    plain = dict.fromkeys(each.strip("[]") for each in alt_names)
    names = [each for each in plain if each not in ANY]
    return {
        "name": name,
        "common_name": common_name,
        "dns": [each for each in names if not is_address(each)],
        "ips": [each for each in names if is_address(each)],
        "usages": list(usages),
        **({"authority": authority} if authority else {}),
    }


def operator_certificate() -> dict[str, Any]:
    """The certificate of the operator, a super user."""
    return certificate_option(OPERATOR, OPERATOR, [OPERATOR], ("client",))


def user_certificates(users: Iterable[str]) -> list[dict[str, Any]]:
    """One certificate for each user, for modes in which users authenticate by certificate."""
    return [certificate_option(user, user, [user], ("client",)) for user in users]
