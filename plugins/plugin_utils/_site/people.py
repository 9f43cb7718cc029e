# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Users and service accounts with the names of their certificates and passwords; no secrets."""

from __future__ import annotations

from typing import Any

from .._catalogue import SERVICES
from .._security import certificate_names as issued
from .._security import service_accounts
from .._security.client_security import pipeline_options as pipeline_options_of
from .._security.security_modes import OPERATOR, Mode, find_mode
from . import kafka, monitoring, security
from .certificates import service_certificates
from .instances import hosts
from .inventory import Inventory
from .pipeline import PIPELINE

WEB = "monitoring-web"
PROXY_PASSWORD = "metrics-proxy"


def _mode(inventory: Inventory) -> Mode:
    return find_mode(security.mode(inventory))


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
        if service.accounts and hosts(inventory, service):
            found |= service.accounts
    return found


def content_service_accounts(inventory: Inventory) -> dict[str, Any]:
    """Service accounts for the content role, without passwords if clients use certificates."""
    if not _mode(inventory).secured:
        return {}
    found = all_service_accounts(inventory)
    return found if _mode(inventory).passwords else service_accounts.without_passwords(found)


def user_defaults(inventory: Inventory) -> dict[str, Any]:
    """Default keys of the site's declared users."""
    mode = _mode(inventory)
    return {"mechanisms": []} if mode.secured and not mode.passwords else {}


def verify_bootstrap(inventory: Inventory) -> list[str]:
    """Bootstrap servers at which passwords can be checked; none if users have no passwords."""
    return kafka.asking_bootstrap(inventory) if _mode(inventory).passwords else []


def verify_protocol(inventory: Inventory) -> str:
    """Kafka's protocol at these servers."""
    mode = _mode(inventory)
    return mode.clients if mode.passwords else "SASL_SSL"


def users(inventory: Inventory) -> list[str]:
    """Names of all users: those that the site declares, and service accounts."""
    declared = inventory.site_value("kafka_content_users", kafka.GROUP) or {}
    return [*declared, *content_service_accounts(inventory)]


def passwords(inventory: Inventory) -> list[str]:
    """Names of users with a password."""
    return users(inventory) if _mode(inventory).passwords else []


def web(inventory: Inventory) -> list[str]:
    """Name of the password of Prometheus and Alertmanager, if one of them requires it."""
    protected = [host for host in monitoring.watching(inventory) if web_asks(inventory, host)]
    return [WEB] if protected else []


def web_asks(inventory: Inventory, host: str) -> bool:
    """Whether Prometheus and Alertmanager of a host require the operator's password."""
    return (
        _mode(inventory).secured
        and not inventory.get(host, "monitoring_web")
        and not _true(inventory.get(host, "monitoring_web_open", False))
    )


def _true(value: Any) -> bool:
    return value if isinstance(value, bool) else str(value).lower() in ("yes", "true", "1", "on")


def stored_passwords(inventory: Inventory) -> list[str]:
    """Names of all passwords in the store."""
    spark = ["spark-rpc", "spark-pages"] if _mode(inventory).secured else []
    metrics = [PROXY_PASSWORD] if monitoring.proxied(inventory) else []
    return [*passwords(inventory), *spark, *metrics, *web(inventory)]


def certificates(inventory: Inventory) -> list[dict[str, Any]]:
    """All certificates with their subjects, and the names under which clients connect."""
    others = [] if _mode(inventory).passwords else [n for n in users(inventory) if n != OPERATOR]
    return [
        *service_certificates(inventory),
        issued.operator_certificate(),
        *issued.user_certificates(others),
    ]


def secret_names(inventory: Inventory) -> list[str]:
    """Terms of all secrets of the control node, for the lookup metal.kafka.secret."""
    keys = certificates(inventory) if _mode(inventory).tls else []
    return [
        *(f"password:{name}" for name in stored_passwords(inventory)),
        *(f"keypair:{each['name']}" for each in keys),
    ]


def client_secret(inventory: Inventory) -> str:
    """Kind of secret with which users authenticate."""
    return "password:" if _mode(inventory).passwords else "keypair:"


def pipeline_names(inventory: Inventory) -> list[str]:
    """Names of the site's pipelines."""
    return list(pipelines(inventory))


def pipeline_options(inventory: Inventory) -> dict[str, str]:
    """Options with which drivers and executors authenticate; ``{name}`` is the pipeline."""
    mode = security.own_mode(inventory)
    return pipeline_options_of(mode, f"{service_accounts.PIPELINE}{{name}}", "/etc/kafka-metal")
