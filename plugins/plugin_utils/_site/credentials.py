# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Certificates and names of passwords in the store of the control node; no secrets."""

from __future__ import annotations

from typing import Any

from .._security import certificate_names as issued
from .._security.security_modes import OPERATOR
from . import api_users, monitoring, security, site_users
from .certificates import service_certificates
from .inventory import Inventory

PROXY_PASSWORD = "metrics-proxy"


def passwords(inventory: Inventory) -> list[str]:
    """Names of all passwords in the store."""
    secured = security.secured(inventory)
    return [
        *site_users.with_password(inventory),
        *api_users.passwords(inventory),
        *(["spark-rpc", "spark-pages"] if secured else []),
        *([PROXY_PASSWORD] if monitoring.proxied(inventory) else []),
        *monitoring.web_password_names(inventory),
    ]


def renewable_passwords(inventory: Inventory) -> list[str]:
    """Names of passwords that change under load; Spark reads its secret only at its start."""
    return [
        *site_users.with_password(inventory),
        *api_users.passwords(inventory),
        *monitoring.web_password_names(inventory),
    ]


def certificates(inventory: Inventory) -> list[dict[str, Any]]:
    """All certificates with their subjects, and the names under which clients connect."""
    with_passwords = security.password_authentication(inventory)
    others = [] if with_passwords else [n for n in site_users.names(inventory) if n != OPERATOR]
    return [
        *service_certificates(inventory),
        issued.operator_certificate(),
        *issued.user_certificates(others),
    ]


def lookup_terms(inventory: Inventory) -> list[str]:
    """Terms of all secrets of the control node, for the lookup metal.kafka.secret."""
    keys = certificates(inventory) if security.tls(inventory) else []
    return [
        *(f"password:{name}" for name in passwords(inventory)),
        *(f"keypair:{each['name']}" for each in keys),
    ]
