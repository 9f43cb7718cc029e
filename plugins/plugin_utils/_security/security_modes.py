# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""How a cluster is closed: one word for the site, the keys of every program derived from it.

Four modes. ``tls_scram`` is the default; the others are for sites that differ:

===========  =================  ======================  =====================================
mode         clients            brokers among each      ensemble
                                other
===========  =================  ======================  =====================================
tls_scram    password on TLS    certificate on TLS      certificate on TLS
mtls         certificate        certificate on TLS      certificate on TLS
scram        password, no TLS   certificate on TLS      certificate on TLS
plain        nobody is asked    nobody is asked         nobody is asked; loopback alone
===========  =================  ======================  =====================================
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

SCRAM = "SCRAM-SHA-512"
# Of a site that says nothing.
DEFAULT = "tls_scram"
# Names that certificates of brokers and of the operator carry. Nobody else may have them.
OPERATOR = "operator"
BROKER = "broker-"


class SecurityError(ValueError):
    """A spec that cannot be met; the text names it and what is allowed."""


@dataclass(frozen=True)
class Mode:
    """What a mode means: protocols of the two listeners as Kafka calls them."""

    clients: str
    brokers: str

    @property
    def tls(self) -> bool:
        """Whether the platform has certificates: its parts know each other by them."""
        return self.brokers == "SSL"

    @property
    def private(self) -> bool:
        """Whether what clients send is encrypted."""
        return self.clients.endswith("SSL")

    @property
    def passwords(self) -> bool:
        """Whether clients prove who they are by a password."""
        return self.clients.startswith("SASL_")

    @property
    def secured(self) -> bool:
        """Whether anybody has to prove who they are."""
        return self.clients != "PLAINTEXT"


MODES = {
    "tls_scram": Mode(clients="SASL_SSL", brokers="SSL"),
    "mtls": Mode(clients="SSL", brokers="SSL"),
    "scram": Mode(clients="SASL_PLAINTEXT", brokers="SSL"),
    "plain": Mode(clients="PLAINTEXT", brokers="PLAINTEXT"),
}


def mode_of(name: str) -> Mode:
    """The mode with this name; raises SecurityError."""
    if name not in MODES:
        raise SecurityError(f"security mode {name!r} is unknown; allowed: {', '.join(MODES)}")
    return MODES[name]


def loopback(address: str) -> bool:
    """Whether an address is this machine's own."""
    return address in ("localhost", "::1") or address.startswith("127.")


def listener_protocols(
    mode: str, listeners: Iterable[str], clients: str, brokers: str
) -> dict[str, str]:
    """Kafka's protocol of each listener, by name; a listener of neither kind is one of clients."""
    wanted = mode_of(mode)
    return {
        name: wanted.brokers if name == brokers and name != clients else wanted.clients
        for name in listeners
    }
