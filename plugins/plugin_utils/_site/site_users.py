# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Users and service accounts of the site; no secrets."""

from __future__ import annotations

from typing import Any

from .._catalogue import SERVICES
from .._declarations.declarations_package import read_needs
from .._security import service_accounts
from .._security.client_security import pipeline_options as pipeline_options_of
from . import kafka, security
from .instances import fill_all, hosts
from .inventory import Inventory
from .pipeline import PIPELINE


def pipelines(inventory: Inventory) -> dict[str, Any]:
    """Declared pipelines of the site."""
    return dict(
        inventory.site_value("pipeline_pipelines", PIPELINE.group)
        or inventory.site_value("pipeline_pipelines")
        or {}
    )


def all_service_accounts(inventory: Inventory) -> dict[str, Any]:
    """Service accounts of the platform, as declared users."""
    demo = ("demo_fraud_topic", "demo_metrics_topic", "demo_invalid_topic")
    found = service_accounts.all_accounts(
        pipelines(inventory),
        str(inventory.site_value("demo_topic")),
        [str(inventory.site_value(name)) for name in demo],
        str(inventory.site_value("pipeline_marks_topic")),
    )
    for service in SERVICES:
        for host in hosts(inventory, service):
            for name, account in fill_all(inventory, host, service.service_accounts).items():
                roles = found.setdefault(name, {**account, "roles": []})["roles"]
                roles += [role for role in account.get("roles", ()) if role not in roles]
    return found


def content_service_accounts(inventory: Inventory) -> dict[str, Any]:
    """Service accounts for the content role, without passwords if clients use certificates."""
    if not security.secured(inventory):
        return {}
    found = all_service_accounts(inventory)
    return (
        found
        if security.password_authentication(inventory)
        else service_accounts.without_passwords(found)
    )


def defaults(inventory: Inventory) -> dict[str, Any]:
    """Default keys of the site's declared users."""
    mode = security.properties(inventory)
    return {"mechanisms": []} if mode.secured and not mode.passwords else {}


def password_check_bootstrap(inventory: Inventory) -> list[str]:
    """Bootstrap servers for password checks; none if users have no passwords."""
    return (
        kafka.authenticated_bootstrap(inventory)
        if security.password_authentication(inventory)
        else []
    )


def password_check_protocol(inventory: Inventory) -> str:
    """Kafka's protocol at these servers."""
    mode = security.properties(inventory)
    return mode.clients if mode.passwords else "SASL_SSL"


def names(inventory: Inventory) -> list[str]:
    """Names of all users: those that the site declares, and service accounts."""
    declared = inventory.site_value("kafka_content_users", kafka.GROUP) or {}
    return [*declared, *content_service_accounts(inventory)]


def with_password(inventory: Inventory) -> list[str]:
    """Names of users with a password."""
    return names(inventory) if security.password_authentication(inventory) else []


def secret_prefix(inventory: Inventory) -> str:
    """Prefix of the terms of users' secrets for the lookup metal.kafka.secret."""
    return "password:" if security.password_authentication(inventory) else "keypair:"


def pipeline_names(inventory: Inventory) -> list[str]:
    """Names of the site's pipelines."""
    return list(pipelines(inventory))


def pipeline_topics(inventory: Inventory) -> dict[str, list[str]]:
    """Topics that each pipeline reads or writes, by its instance."""
    return {
        f"{service_accounts.PIPELINE}{name}": list(
            dict.fromkeys(topic for _, topic in read_needs(body).topics)
        )
        for name, body in pipelines(inventory).items()
    }


def pipeline_options(inventory: Inventory) -> dict[str, str]:
    """Options with which drivers and executors authenticate; ``{name}`` is the pipeline."""
    mode = security.service_account_mode(inventory)
    return pipeline_options_of(mode, f"{service_accounts.PIPELINE}{{name}}", "/etc/kafka-metal")
