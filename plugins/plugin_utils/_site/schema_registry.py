# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Facts of the schema registry for its clients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._catalogue import service
from .._security.certificate_names import api_password
from .host_secrets import Host
from .inventory import Inventory
from .service_instances import instances

REGISTRY = service("schema_registry")
# Confluent's API.
API = "/apis/ccompat/v7"
# The user of all pipelines, which only read.
PIPELINES = "pipelines"


def urls(inventory: Inventory) -> list[str]:
    """Addresses of Confluent's API at all instances."""
    (port,) = REGISTRY.ports
    return [
        f"https://{each['address']}:{each['ports'][port]}{API}"
        for each in instances(inventory)[REGISTRY.kind]
    ]


def platform_users(_: Inventory) -> Mapping[str, str]:
    """Roles of the platform's own users of the API, by name."""
    (users,) = REGISTRY.api_users
    return users.platform


def of_pipelines(host: Host) -> dict[str, Any]:
    """Addresses, CA and login for pipelines that name no registry; empty without instances."""
    found = host.fact("schema_registry.urls")
    if not found:
        return {}
    password = host.secret(f"password:{api_password(REGISTRY.kind, PIPELINES)}")
    return {
        "urls": found,
        "ca": host.secret("truststore"),
        "login": f"{PIPELINES}:{password}",
    }
