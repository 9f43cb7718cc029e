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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SCRAM = "SCRAM-SHA-512"
# Of a site that says nothing.
DEFAULT = "tls_scram"
# Settings of librdkafka, and those of kafka-python that mean the same.
KAFKA_PYTHON = {
    "security.protocol": "security_protocol",
    "ssl.ca.location": "ssl_cafile",
    "ssl.certificate.location": "ssl_certfile",
    "ssl.key.location": "ssl_keyfile",
    "sasl.mechanism": "sasl_mechanism",
    "sasl.username": "sasl_plain_username",
    "sasl.password": "sasl_plain_password",
}
# Where a container finds what proves who it is; the role writes these files beside its properties.
BROKER_KEYS = "/etc/kafka/broker.pem"
TRUSTED = "/etc/kafka/ca.pem"
# Names that certificates of brokers and of the operator carry. Nobody else may have them.
OPERATOR = "operator"
BROKER = "broker-"


class SecurityError(ValueError):
    """A wish that cannot be met; the text names it and what is allowed."""


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
    def closed(self) -> bool:
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


def check_plain(mode: str, listeners: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise SecurityError when a listener that asks nobody can be reached from another machine."""
    if mode_of(mode).closed:
        return
    open_ones = [
        f"{name} on {at['bind']}" for name, at in listeners.items() if not loopback(at["bind"])
    ]
    if open_ones:
        raise SecurityError(
            f"security mode plain is for loopback alone, and listener {', '.join(open_ones)} can "
            "be reached from other machines; bind it to 127.0.0.1 or choose tls_scram or mtls"
        )


def listener_protocols(
    mode: str, listeners: Iterable[str], clients: str, brokers: str
) -> dict[str, str]:
    """Kafka's protocol of each listener, by name; a listener of neither kind is one of clients."""
    wanted = mode_of(mode)
    return {
        name: wanted.brokers if name == brokers and name != clients else wanted.clients
        for name in listeners
    }


def super_users(brokers: Iterable[int], further: Sequence[str] = ()) -> list[str]:
    """Principals that no ACL binds: brokers, the operator, and who the site names."""
    names = [*(f"{BROKER}{number}" for number in brokers), OPERATOR, *further]
    return [f"User:{name}" for name in dict.fromkeys(names)]


def broker_properties(
    mode: str,
    protocols: Mapping[str, str],
    broker_ids: Sequence[int],
    further_super_users: Sequence[str] = (),
) -> dict[str, Any]:
    """Keys of server.properties that close a broker, for listeners with these protocols."""
    wanted = mode_of(mode)
    if not wanted.closed:
        return {}
    keys: dict[str, Any] = {
        "authorizer.class.name": "kafka.security.authorizer.AclAuthorizer",
        # The default, said because it must never be the other.
        "allow.everyone.if.no.acl.found": False,
        # Principals hold no semicolon, so this list cannot be misread.
        "super.users": ";".join(super_users(broker_ids, further_super_users)),
    }
    if wanted.tls:
        keys |= tls_properties(TRUSTED, BROKER_KEYS)
        keys["ssl.enabled.protocols"] = ["TLSv1.3", "TLSv1.2"]
        # The principal of a certificate is its common name, as that of a password is its user.
        keys["ssl.principal.mapping.rules"] = "RULE:^CN=([^,]+).*$/$1/,DEFAULT"
    for name, protocol in protocols.items():
        prefix = f"listener.name.{name.lower()}"
        if protocol == "SSL":
            # `requested` would let those in who show none.
            keys[f"{prefix}.ssl.client.auth"] = "required"
        if protocol.startswith("SASL_"):
            keys[f"{prefix}.sasl.enabled.mechanisms"] = SCRAM
            keys[f"{prefix}.{SCRAM.lower()}.sasl.jaas.config"] = (
                "org.apache.kafka.common.security.scram.ScramLoginModule required;"
            )
            # A user that is taken away is out within this time, connected or not.
            keys[f"{prefix}.connections.max.reauth.ms"] = 3_600_000
    return keys


def tls_properties(trusted: str, keys: str = "", prefix: str = "") -> dict[str, str]:
    """Where a program of Java finds whom it trusts and who it is, both as PEM."""
    found = {"truststore.type": "PEM", "truststore.location": trusted}
    if keys:
        found |= {"keystore.type": "PEM", "keystore.location": keys}
    return {f"{prefix}ssl.{key}": value for key, value in found.items()}


# What asks for the password of the pages of Spark.
PAGES_FILTER = "metal.kafka.spark.PagePassword"


def spark_properties(secret: str, pages_file: str) -> dict[str, str]:
    """Settings of every part of a Spark cluster whose parts prove who they are and encrypt.

    ``secret`` is what the parts share, ``pages_file`` holds the word that their pages ask for.
    """
    return {
        "spark.authenticate": "true",
        "spark.authenticate.secret": secret,
        "spark.network.crypto.enabled": "true",
        "spark.network.crypto.authEngineVersion": "2",
        "spark.network.crypto.saslFallback": "false",
        # What shuffles and streams spill to the disks of workers.
        "spark.io.encryption.enabled": "true",
        # Pages show and do nothing: whoever reaches one may not end what runs.
        "spark.ui.killEnabled": "false",
        "spark.ui.filters": PAGES_FILTER,
        f"spark.{PAGES_FILTER}.param.file": pages_file,
    }


def client_options(mode: str, user: str, folder: str) -> dict[str, str]:
    """Options of a Java client that comes in as ``user``, without any secret in them.

    ``folder`` holds ``ca.pem``, and ``<user>.properties`` with the key ``password`` or, where
    clients show certificates, ``<user>.pem``.
    """
    wanted = mode_of(mode)
    if not wanted.closed:
        return {}
    options = {"security.protocol": wanted.clients}
    if wanted.private:
        keys = "" if wanted.passwords else f"{folder}/{user}.pem"
        options |= tls_properties(f"{folder}/ca.pem", keys)
    if wanted.passwords:
        provider = "org.apache.kafka.common.config.provider.FileConfigProvider"
        options |= {
            "sasl.mechanism": SCRAM,
            "sasl.jaas.config": (
                "org.apache.kafka.common.security.scram.ScramLoginModule required "
                f'username="{user}" password="${{file:{folder}/{user}.properties:password}}";'
            ),
            # The client itself reads the file: no option, plan or page shows the password.
            "config.providers": "file",
            "config.providers.file.class": provider,
        }
    return options


# How long a client stays with a broker that takes its connections and answers nothing, because it
# is frozen or cut off from the others: about as long as one needs to lose its leadership (18 s),
# far shorter than the defaults (a minute for librdkafka). The cost is a repeated request on a
# cluster that is slow for so long. Milliseconds.
TIME_LIMITS = {
    "java": {
        "request.timeout.ms": "20000",
        "metadata.max.age.ms": "10000",
        "socket.connection.setup.timeout.max.ms": "10000",
        "reconnect.backoff.max.ms": "1000",
    },
    "librdkafka": {
        "socket.timeout.ms": "15000",
        "socket.connection.setup.timeout.ms": "10000",
        "topic.metadata.refresh.interval.ms": "10000",
        "reconnect.backoff.max.ms": "2000",
    },
}


def with_time_limits(options: Mapping[str, str], kind: str) -> dict[str, str]:
    """Options of a client, of kind java or librdkafka, that leaves a broker which hangs."""
    return {**TIME_LIMITS[kind], **options}


def librdkafka_options(mode: str, user: str, password: str, folder: str) -> dict[str, str]:
    """The same for clients of librdkafka, which know no other place for a password."""
    wanted = mode_of(mode)
    if not wanted.closed:
        return {}
    options = {"security.protocol": wanted.clients}
    if wanted.private:
        options["ssl.ca.location"] = f"{folder}/ca.pem"
        if not wanted.passwords:
            own = f"{folder}/{user}.pem"
            options |= {"ssl.certificate.location": own, "ssl.key.location": own}
    if wanted.passwords:
        options |= {"sasl.mechanism": SCRAM, "sasl.username": user, "sasl.password": password}
    return options


def kafka_python_settings(mode: str, user: str, password: str, folder: str) -> dict[str, str]:
    """The same for kafka-python."""
    given = librdkafka_options(mode, user, password, folder)
    return {KAFKA_PYTHON[key]: value for key, value in given.items()}


def client_files(users: Sequence[str], secrets: Sequence[str], mode: str) -> list[dict[str, str]]:
    """The files that ``client_options`` speaks of, without the CA's: one for each user.

    ``secrets`` are passwords or, where clients show certificates, keys with their certificates.
    """
    ending, before = (".properties", "password=") if mode_of(mode).passwords else (".pem", "")
    return [
        {"name": f"{user}{ending}", "content": f"{before}{secret}\n"}
        for user, secret in zip(users, secrets, strict=True)
    ]
