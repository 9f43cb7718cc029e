# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Security modes of a cluster, from which the settings of all services are derived.

``tls_scram`` is the default:

===========  =================  ======================  =====================================
mode         clients            inter-broker            ensemble
===========  =================  ======================  =====================================
tls_scram    password on TLS    certificate on TLS      certificate on TLS
mtls         certificate        certificate on TLS      certificate on TLS
scram        password, no TLS   certificate on TLS      certificate on TLS
plain        none               none                    none; only on loopback
===========  =================  ======================  =====================================
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

SCRAM = "SCRAM-SHA-512"
# Mode of a site that declares none.
DEFAULT = "tls_scram"
# Reserved names in certificates of the operator and of brokers.
OPERATOR = "operator"
BROKER = "broker-"


class SecurityError(ValueError):
    """An invalid security setting; the message has the setting and the allowed values."""


@dataclass(frozen=True)
class Mode:
    """A mode, with Kafka's protocols of the client and the inter-broker listener."""

    clients: str
    brokers: str

    @property
    def tls(self) -> bool:
        """Whether the platform's services authenticate each other by certificate."""
        return self.brokers == "SSL"

    @property
    def private(self) -> bool:
        """Whether connections of clients are encrypted."""
        return self.clients.endswith("SSL")

    @property
    def passwords(self) -> bool:
        """Whether clients authenticate by password."""
        return self.clients.startswith("SASL_")

    @property
    def secured(self) -> bool:
        """Whether clients must authenticate."""
        return self.clients != "PLAINTEXT"


MODES = {
    "tls_scram": Mode(clients="SASL_SSL", brokers="SSL"),
    "mtls": Mode(clients="SSL", brokers="SSL"),
    "scram": Mode(clients="SASL_PLAINTEXT", brokers="SSL"),
    "plain": Mode(clients="PLAINTEXT", brokers="PLAINTEXT"),
}


def find_mode(name: str) -> Mode:
    """Return the mode with this name; raises SecurityError."""
    if name not in MODES:
        raise SecurityError(f"security mode {name!r} is unknown; allowed: {', '.join(MODES)}")
    return MODES[name]


def is_loopback(address: str) -> bool:
    """Whether an address is a loopback address."""
    return address in ("localhost", "::1") or address.startswith("127.")


def listener_protocols(
    mode: str, listeners: Iterable[str], clients: str, brokers: str
) -> dict[str, str]:
    """Kafka's protocol of each listener, by name; other listeners are for clients."""
    wanted = find_mode(mode)
    return {
        name: wanted.brokers if name == brokers and name != clients else wanted.clients
        for name in listeners
    }
