# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Files with secrets of users, of the benchmark client and of the demo client."""

from __future__ import annotations

import json

from ...module_utils._common import web_login
from ...module_utils._common.properties_file import to_properties
from .._security import client_security as clients
from .._security.security_modes import OPERATOR
from .host_secrets import FOLDER, Files, Host, client_keys, file, trusted


def demo_files(host: Host) -> Files:
    """Return client.conf and CAs of the demo client; none in mode plain."""
    if not host.service_account_mode.secured:
        return []
    mode = host.fact("security.service_account_mode")
    password = host.secret("password:demo") if host.service_account_mode.passwords else ""
    options = clients.librdkafka_options(mode, "demo", password, FOLDER)
    return [
        file("client.conf", to_properties(options)),
        trusted(host),
        *client_keys(host, ["demo"], mode),
    ]


def _user(host: Host) -> str:
    """The user whose files are written."""
    return str(host.variable("security_client_user", OPERATOR))


def _secret(host: Host, user: str) -> str:
    """The password that the site has chosen for a user, or its generated password or keys."""
    if host.fact("security.password_authentication"):
        # Content is applied from the first broker's host.
        first = host.fact("kafka.hosts")[0]
        own = host.variable_of(first, "kafka_content_passwords") or {}
        if user in own:
            return str(own[user])
    return host.secret(f"{host.fact('users.secret_prefix')}{user}")


def benchmark_files(host: Host) -> Files:
    """Files of the benchmark client, which has the rights of a user."""
    if not host.fact("security.secured"):
        return []
    user, mode = _user(host), host.fact("security.mode")
    folder = f"{host.variable('benchmark_directory')}/client"
    secret = _secret(host, user)
    java = clients.client_options(mode, user, folder)
    python = {"client_config": clients.kafka_python_settings(mode, user, secret, folder)}
    return [
        *clients.client_files([user], [secret], mode),
        trusted(host),
        file("client.properties", to_properties(java)),
        file("client.json", json.dumps(python)),
    ]


def user_files(host: Host) -> Files:
    """Files on the control node with which a user outside the platform authenticates."""
    user, folder = _user(host), host.fact("users.client_directory")
    mode = host.fact("security.mode")
    secret = _secret(host, user)
    native = clients.librdkafka_options(mode, user, secret, folder)
    java = clients.client_options(mode, user, folder)
    found = [
        *clients.client_files([user], [secret], mode),
        trusted(host),
        file("client.conf", to_properties(clients.with_time_limits(native, "librdkafka"))),
        file("client.properties", to_properties(clients.with_time_limits(java, "java"))),
    ]
    return [*found, *_operator_files(host)] if user == OPERATOR else found


def _operator_files(host: Host) -> Files:
    """Additional files of the operator."""
    found = []
    if host.fact("security.password_authentication"):
        found.append(file("operator.pem", host.secret("keypair:operator")))
    for name, term, required in (
        ("spark-pages", "password:spark-pages", host.fact("spark.masters")),
        ("monitoring-web", "password:monitoring-web", host.fact("monitoring.web_password_names")),
    ):
        if required:
            found.append(file(name, web_login.curl_options(host.secret(term))))
    return found
