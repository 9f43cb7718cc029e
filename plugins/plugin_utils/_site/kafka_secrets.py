# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Files with secrets of brokers and of ZooKeeper servers."""

from __future__ import annotations

import json
from typing import Any

from ...module_utils._common.properties_file import to_properties
from ...module_utils._services import zookeeper_acls
from .._security import client_security as clients
from .._security import zookeeper_tls, zookeeper_tls_migration
from .._security.security_modes import OPERATOR
from .._security.store_items import PLATFORM
from .host_secrets import FOLDER, Files, Host, file, trusted


def server_properties(host: Host) -> dict[str, Any]:
    """Keys of zoo.cfg for ports and TLS; the store determines the certificates of the quorum."""
    stage = host.secret("quorum_stage") if host.fact("security.tls") else PLATFORM
    return zookeeper_tls_migration.server_properties(
        host.fact("security.mode"),
        host.fact("security.phase"),
        int(host.variable("zookeeper_client_port")),
        str(host.variable("zookeeper_bind_address")),
        host.fact("security.migration_port_offset"),
        stage,
    )


def server_files(host: Host) -> Files:
    """Files of a ZooKeeper server."""
    if not host.fact("security.tls"):
        return []
    name, stage = f"zk{host.variable('zookeeper_server_id')}", host.secret("quorum_stage")
    found = [file("server.pem", host.secret(f"keypair:{name}")), trusted(host)]
    if stage == PLATFORM:
        return found
    return [
        *found,
        file("quorum.pem", host.secret(f"keypair:{name}-quorum")),
        file(zookeeper_tls.quorum_trusted(stage), host.secret("quorum_truststore")),
    ]


def config_directory(host: Host) -> str:
    """Directory of a broker's files on its machine."""
    cluster, number = host.variable("cluster_name"), host.variable("kafka_broker_id")
    return f"{FOLDER}/{cluster}-kafka{number}"


def broker_client_file(host: Host) -> str:
    """Client file of modules on a broker's machine; empty without TLS, and on other machines."""
    is_broker = host.variable("kafka_broker_id", "") != ""
    return (
        f"{config_directory(host)}/operator.json"
        if is_broker and host.service_account_mode.tls
        else ""
    )


def client_environment(host: Host) -> dict[str, str]:
    """Environment of modules on a broker's machine: path of their Kafka client, client file."""
    found = {"PYTHONPATH": host.fact("machines.kafka_client")}
    file = broker_client_file(host)
    return {**found, "KAFKA_METAL_CLIENT": file} if file else found


def broker_files(host: Host) -> Files:
    """Files of a broker, and of the modules on its machine."""
    if not host.fact("security.tls"):
        return []
    name = f"kafka{host.variable('kafka_broker_id')}"
    folder = config_directory(host)
    mode = host.fact("security.mode")
    ensemble = zookeeper_tls.ensemble_client_properties(mode)
    operator = clients.client_options("mtls", OPERATOR, "/etc/kafka")
    client = {
        "security_protocol": "SSL",
        "ca_file": f"{folder}/ca.pem",
        "cert_file": f"{folder}/operator.pem",
    }
    return [
        file("broker.pem", host.secret(f"keypair:{name}")),
        file("ensemble.pem", host.secret(f"keypair:{name}-ensemble")),
        file("ensemble.properties", to_properties(ensemble)),
        file("operator.pem", host.secret("keypair:operator")),
        file("operator.properties", to_properties(operator)),
        file("operator.json", json.dumps(client)),
        trusted(host),
    ]


def znodes(host: Host) -> list[dict[str, Any]]:
    """Znodes with the subjects of the certificates that own them."""
    recovering = host.fact("spark.recovery_servers")
    owners = (
        [f"kafka{number}" for number in host.fact("kafka.ids")],
        [each["name"] for each in host.fact("spark.masters")] if recovering else [],
    )
    brokers, masters = (
        [_subject(host.secret(f"certificate:{name}-ensemble")) for name in names]
        for names in owners
    )
    node, trust = host.fact("spark.recovery_node"), host.fact("security.ensemble_trust")
    return zookeeper_acls.desired_nodes(brokers, masters, node, trust)


def _subject(certificate: str) -> str:
    return zookeeper_tls.subject(certificate)
