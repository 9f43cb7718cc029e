# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Files with secrets of monitoring."""

from __future__ import annotations

from .._security import client_security as clients
from .host_secrets import Files, Host, client_keys, file, trusted


def kafka_client_options(host: Host) -> dict[str, str]:
    """Options of librdkafka for the client that monitors the cluster."""
    password = host.secret("password:watch") if host.service_account_mode.passwords else ""
    mode = host.fact("security.service_account_mode")
    return {
        "bootstrap.servers": ",".join(host.fact("kafka.bootstrap")),
        **clients.librdkafka_options(mode, "watch", password, "/etc/watch"),
    }


def kafka_client_files(host: Host) -> Files:
    """Files that the options of ``kafka_client_options`` name."""
    own, mode = host.service_account_mode, host.fact("security.service_account_mode")
    keys = client_keys(host, ["watch"], mode) if own.secured and not own.passwords else []
    return [*keys, *([trusted(host)] if own.tls else [])]


def proxy_files(host: Host) -> Files:
    """Files of a machine's metrics proxy, which serves clients with the token."""
    if not host.fact("monitoring.proxies"):
        return []
    return [
        file("proxy.pem", host.secret(f"keypair:metrics-{host.fact('machines.machine')}")),
        file("token", host.secret("password:metrics-proxy")),
    ]


def prometheus_files(host: Host) -> Files:
    """Files with which Prometheus scrapes through the proxies."""
    if not host.fact("monitoring.proxies"):
        return []
    return [trusted(host), file("metrics.token", host.secret("password:metrics-proxy"))]


def web_password(host: Host) -> str:
    """Password of a host's Prometheus and Alertmanager; empty if they require none."""
    return (
        host.secret("password:monitoring-web") if host.fact("monitoring.web_authentication") else ""
    )


def stored_web_password(host: Host) -> str:
    """The same for verbs that only read; empty also if the store does not have it yet."""
    return (
        host.stored_secret("password:monitoring-web")
        if host.fact("monitoring.web_authentication")
        else ""
    )
