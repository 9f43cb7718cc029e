# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Who comes into the cluster, with which certificates and passwords; names alone, no secret."""

from __future__ import annotations

from typing import Any

from .._catalogue import SERVICES
from .._security import certificate_names as issued
from .._security import service_accounts
from .._security.client_security import pipeline_options as pipeline_options_of
from .._security.security_modes import OPERATOR, Mode, mode_of
from . import kafka, monitoring, security
from .certificates import shown_by_services
from .instances import hosts
from .inventory import Inventory
from .pipeline import PIPELINE

WEB = "monitoring-web"
PROXY_PASSWORD = "metrics-proxy"


def _mode(inventory: Inventory) -> Mode:
    return mode_of(security.mode(inventory))


def pipelines(inventory: Inventory) -> dict[str, Any]:
    """Pipelines of the site, as declared."""
    return dict(
        inventory.site_value("pipeline_pipelines", PIPELINE.group)
        or inventory.site_value("pipeline_pipelines")
        or {}
    )


def programs(inventory: Inventory) -> dict[str, Any]:
    """Users that the platform itself needs."""
    demo = ("demo_fraud_topic", "demo_metrics_topic", "demo_invalid_topic")
    found = service_accounts.programs(
        pipelines(inventory),
        str(inventory.site_value("demo_topic")),
        [str(inventory.site_value(name)) for name in demo],
        str(inventory.site_value("pipeline_marks_topic")),
    )
    for service in SERVICES:
        if service.accounts and hosts(inventory, service):
            found |= service.accounts
    return found


def content_programs(inventory: Inventory) -> dict[str, Any]:
    """The same, as content declares them: without passwords where everybody shows a certificate."""
    if not _mode(inventory).secured:
        return {}
    found = programs(inventory)
    return found if _mode(inventory).passwords else service_accounts.without_passwords(found)


def user_defaults(inventory: Inventory) -> dict[str, Any]:
    """What users of the site have who do not say it."""
    mode = _mode(inventory)
    return {"mechanisms": []} if mode.secured and not mode.passwords else {}


def verify_bootstrap(inventory: Inventory) -> list[str]:
    """Where passwords can be tried; none where nobody has one."""
    return kafka.asking_bootstrap(inventory) if _mode(inventory).passwords else []


def verify_protocol(inventory: Inventory) -> str:
    """Kafka's protocol there."""
    mode = _mode(inventory)
    return mode.clients if mode.passwords else "SASL_SSL"


def users(inventory: Inventory) -> list[str]:
    """Everybody who comes in: the site's users, and programs of the platform."""
    declared = inventory.site_value("kafka_content_users", kafka.GROUP) or {}
    return [*declared, *content_programs(inventory)]


def passwords(inventory: Inventory) -> list[str]:
    """Users who have a password."""
    return users(inventory) if _mode(inventory).passwords else []


def web(inventory: Inventory) -> list[str]:
    """The password of Prometheus and Alertmanager, where one of them asks for it."""
    asking = [host for host in monitoring.watching(inventory) if web_asks(inventory, host)]
    return [WEB] if asking else []


def web_asks(inventory: Inventory, host: str) -> bool:
    """Whether Prometheus and Alertmanager of a host ask for the operator's password."""
    return (
        _mode(inventory).secured
        and not inventory.get(host, "monitoring_web")
        and not _true(inventory.get(host, "monitoring_web_open", False))
    )


def _true(value: Any) -> bool:
    return value if isinstance(value, bool) else str(value).lower() in ("yes", "true", "1", "on")


def stored_passwords(inventory: Inventory) -> list[str]:
    """Every password of the store."""
    closed = ["spark-rpc", "spark-pages"] if _mode(inventory).secured else []
    metrics = [PROXY_PASSWORD] if monitoring.proxied(inventory) else []
    return [*passwords(inventory), *closed, *metrics, *web(inventory)]


def certificates(inventory: Inventory) -> list[dict[str, Any]]:
    """Every certificate: who shows it, and the names under which others reach it."""
    people = [] if _mode(inventory).passwords else [n for n in users(inventory) if n != OPERATOR]
    return [
        *shown_by_services(inventory),
        issued.of_operator(),
        *issued.of_users(people),
    ]


def secret_names(inventory: Inventory) -> list[str]:
    """Every secret that the control node knows, as lookup metal.kafka.secret names them."""
    keys = certificates(inventory) if _mode(inventory).tls else []
    return [
        *(f"password:{name}" for name in stored_passwords(inventory)),
        *(f"keypair:{each['name']}" for each in keys),
    ]


def client_secret(inventory: Inventory) -> str:
    """Kind of secret by which users come in."""
    return "password:" if _mode(inventory).passwords else "keypair:"


def pipeline_names(inventory: Inventory) -> list[str]:
    """Names of the site's pipelines."""
    return list(pipelines(inventory))


def pipeline_options(inventory: Inventory) -> dict[str, str]:
    """How drivers and executors come in; ``{name}`` stands for the pipeline."""
    mode = security.own_mode(inventory)
    return pipeline_options_of(mode, f"{service_accounts.PIPELINE}{{name}}", "/etc/kafka-metal")
