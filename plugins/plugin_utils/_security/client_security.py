# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Options and files with which clients of each library authenticate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .broker_security import tls_properties
from .security_modes import SCRAM, find_mode

# Settings of librdkafka, with the equivalents of kafka-python.
KAFKA_PYTHON = {
    "security.protocol": "security_protocol",
    "ssl.ca.location": "ssl_cafile",
    "ssl.certificate.location": "ssl_certfile",
    "ssl.key.location": "ssl_keyfile",
    "sasl.mechanism": "sasl_mechanism",
    "sasl.username": "sasl_plain_username",
    "sasl.password": "sasl_plain_password",
}


def client_options(mode: str, user: str, folder: str) -> dict[str, str]:
    """Options of a Java client that authenticates as ``user``; they contain no secret.

    ``folder`` contains ``ca.pem``, and ``<user>.properties`` with the key ``password`` or, for
    authentication by certificate, ``<user>.pem``.
    """
    wanted = find_mode(mode)
    if not wanted.secured:
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
            # The client reads the file, so the password is not in options, plans or web pages.
            "config.providers": "file",
            "config.providers.file.class": provider,
        }
    return options


# Class in images/spark/secrets.
DRIVER_SECRETS = "metal.kafka.spark.DriverSecrets"


def pipeline_options(mode: str, user: str, folder: str) -> dict[str, str]:
    """Options of a driver and its executors, which read the files through the driver."""
    options = client_options(mode, user, folder)
    keys = options.pop("ssl.keystore.location", "")
    if keys:
        options["ssl.keystore.key"] = f"${{file:{keys}:key}}"
        options["ssl.keystore.certificate.chain"] = f"${{file:{keys}:chain}}"
        options["config.providers"] = "file"
    if "config.providers" in options:
        options["config.providers.file.class"] = DRIVER_SECRETS
    return options


# Milliseconds after which a client leaves a broker that accepts connections but does not respond.
# About the time in which such a broker loses its leadership (18 s), and far shorter than the
# defaults (a minute for librdkafka). On a cluster that is this slow, requests are repeated.
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
    """Add time limits to a client's options; ``kind`` is java or librdkafka."""
    return {**TIME_LIMITS[kind], **options}


def librdkafka_options(mode: str, user: str, password: str, folder: str) -> dict[str, str]:
    """Options of a librdkafka client, which include the password."""
    wanted = find_mode(mode)
    if not wanted.secured:
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
    """Settings of a kafka-python client, which include the password."""
    options = librdkafka_options(mode, user, password, folder)
    return {KAFKA_PYTHON[key]: value for key, value in options.items()}


def client_files(users: Sequence[str], secrets: Sequence[str], mode: str) -> list[dict[str, str]]:
    """The files that ``client_options`` names, one for each user, without the CA's file.

    ``secrets`` are passwords or, for authentication by certificate, keys with certificates.
    """
    suffix, prefix = (".properties", "password=") if find_mode(mode).passwords else (".pem", "")
    return [
        {"name": f"{user}{suffix}", "content": f"{prefix}{secret}\n"}
        for user, secret in zip(users, secrets, strict=True)
    ]
