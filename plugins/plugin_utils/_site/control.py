# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Paths of a cluster's files on the control node, and of the baseline on machines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .._security.security_modes import OPERATOR
from . import state_directory
from .host_secrets import Host
from .inventory import DEFAULTS


def directory(host: Host) -> str:
    """The state directory of the cluster, with the store of keys, results and reports."""
    return str(_directory(host))


def _directory(host: Host) -> Path:
    sources = host.variable("ansible_inventory_sources", [])
    return state_directory.directory(
        host.variable("cluster_name"), sources, host.variable("kafka_metal_state", "")
    )


def store(host: Host) -> str:
    """Path of the encrypted store of keys and passwords."""
    declared = host.variable("security_store", "")
    default = state_directory.store(_directory(host), host.variable("cluster_name"))
    return declared or str(default)


def password_file(host: Host) -> str:
    """Path of the file with the password of that store."""
    return str(host.variable("security_password_file", DEFAULTS["security_password_file"]))


def client_directory(host: Host) -> str:
    """Directory with the client files of a user outside the platform."""
    user = str(host.variable("security_client_user", OPERATOR))
    folder = store(host).rsplit("/", 1)[0]
    return f"{folder}/operator" if user == OPERATOR else f"{folder}/users/{user}"


def operator_client_file(host: Host) -> str:
    """The operator's client.conf of librdkafka; empty for a cluster without security."""
    folder = store(host).rpartition("/")[0]
    secured = host.fact("security.secured")
    return f"{folder}/operator/client.conf" if secured else ""


def shared_storage(host: Host) -> dict[str, Any]:
    """The declared storage that Spark's drivers, workers and history servers share."""
    owner = host.fact("machines.storage_host")
    return dict(host.variable_of(owner, "shared_storage") if owner else DEFAULTS["shared_storage"])


def config_root(host: Host) -> str:
    """Directory on a machine with a subdirectory for each service."""
    return str(host.variable("service_config_root"))


def baseline_file(host: Host) -> str:
    """File on a machine with its baseline, the state that the last complete run applied."""
    cluster = host.variable("cluster_name")
    return f"{config_root(host)}/.as-left/{cluster}@{host.variable('inventory_hostname')}.json"


def baseline_arguments(host: Host) -> dict[str, str]:
    """Arguments with which metal.kafka.machine_info reads the baseline of a machine."""
    return {
        "cluster": str(host.variable("cluster_name")),
        "file": baseline_file(host),
        "textfiles": host.fact("monitoring.textfile_dir"),
    }


def support_archive(host: Host) -> str:
    """Path of a machine's archive for `make support`."""
    return f"/var/lib/kafka-metal/support/{host.variable('cluster_name')}.tar.gz"


def support_metrics_archive(host: Host) -> str:
    """Path of a monitoring host's metrics for `make support`; the host may also be a machine."""
    name = f"{host.variable('cluster_name')}@{host.variable('inventory_hostname')}"
    return f"/var/lib/kafka-metal/support/metrics/{name}.tar.gz"


def kafka_client(host: Host) -> str:
    """Directory on a machine with the Kafka client that modules use."""
    return f"{host.variable('host_python_dir')}/kafka-python"
