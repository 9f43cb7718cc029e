# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Files with secrets of what watches the platform."""

from __future__ import annotations

from .._security import client_security as clients
from .host_secrets import Files, Host, client_keys, file, trusted


def watch_options(host: Host) -> dict[str, str]:
    """Options of librdkafka with which monitoring looks at the cluster from outside."""
    password = host.secret("password:watch") if host.own.passwords else ""
    mode = host.know("security.own_mode")
    return {
        "bootstrap.servers": ",".join(host.know("kafka.bootstrap")),
        **clients.librdkafka_options(mode, "watch", password, "/etc/watch"),
    }


def of_watch(host: Host) -> Files:
    """The files that those options speak of."""
    own, mode = host.own, host.know("security.own_mode")
    shown = client_keys(host, ["watch"], mode) if own.secured and not own.passwords else []
    return [*shown, *([trusted(host)] if own.tls else [])]


def of_proxy(host: Host) -> Files:
    """Of the proxy of a machine, which shows figures to whoever has the token."""
    if not host.know("monitoring.proxies"):
        return []
    return [
        file("proxy.pem", host.secret(f"keypair:metrics-{host.know('machines.machine')}")),
        file("token", host.secret("password:metrics-proxy")),
    ]


def of_proxied(host: Host) -> Files:
    """Of Prometheus, which reads through proxies."""
    if not host.know("monitoring.proxies"):
        return []
    return [trusted(host), file("metrics.token", host.secret("password:metrics-proxy"))]


def web_password(host: Host) -> str:
    """What Prometheus and Alertmanager of a host ask for; empty where they ask for nothing."""
    return host.secret("password:monitoring-web") if host.know("people.web_asks") else ""


def web_password_known(host: Host) -> str:
    """The same for verbs that only read."""
    return host.known_secret("password:monitoring-web") if host.know("people.web_asks") else ""
