# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Files with secrets of people, and of the clients that measure and demonstrate."""

from __future__ import annotations

import json

from ...module_utils._common import web_login
from ...module_utils._common.properties_file import to_properties
from .._security import client_security as clients
from .._security.security_modes import OPERATOR
from .host_secrets import FOLDER, Files, Host, client_keys, file, trusted


def of_demo(host: Host) -> Files:
    """Of the client of the demonstration."""
    if not host.own.secured:
        return []
    mode = host.know("security.own_mode")
    password = host.secret("password:demo") if host.own.passwords else ""
    options = clients.librdkafka_options(mode, "demo", password, FOLDER)
    return [
        file("client.conf", to_properties(options)),
        trusted(host),
        *client_keys(host, ["demo"], mode),
    ]


def _who(host: Host) -> str:
    """Whose way in it is."""
    return str(host.variable("security_person", OPERATOR))


def of_benchmark(host: Host) -> Files:
    """Of the client that measures the cluster, with the rights of a person."""
    if not host.know("security.secured"):
        return []
    who, mode = _who(host), host.know("security.mode")
    folder = f"{host.variable('benchmark_directory')}/client"
    secret = host.secret(f"{host.know('people.client_secret')}{who}")
    java = clients.client_options(mode, who, folder)
    python = {"client_config": clients.kafka_python_settings(mode, who, secret, folder)}
    return [
        *clients.client_files([who], [secret], mode),
        trusted(host),
        file("client.properties", to_properties(java)),
        file("client.json", json.dumps(python)),
    ]


def of_person(host: Host) -> Files:
    """On the control node: the way in of a person or a program outside the platform."""
    who, folder = _who(host), host.know("people.person_folder")
    mode = host.know("security.mode")
    secret = host.secret(f"{host.know('people.client_secret')}{who}")
    native = clients.librdkafka_options(mode, who, secret, folder)
    java = clients.client_options(mode, who, folder)
    found = [
        *clients.client_files([who], [secret], mode),
        trusted(host),
        file("client.conf", to_properties(clients.with_time_limits(native, "librdkafka"))),
        file("client.properties", to_properties(clients.with_time_limits(java, "java"))),
    ]
    return [*found, *_of_operator(host)] if who == OPERATOR else found


def _of_operator(host: Host) -> Files:
    """What the operator has beside that."""
    found = []
    if host.know("security.passwords"):
        found.append(file("operator.pem", host.secret("keypair:operator")))
    for name, term, there in (
        ("spark-pages", "password:spark-pages", host.know("spark.masters")),
        ("monitoring-web", "password:monitoring-web", host.know("people.web")),
    ):
        if there:
            found.append(file(name, web_login.curl_options(host.secret(term))))
    return found
