# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What the control node keeps of a cluster, and what machines keep of the last run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .._security.security_modes import OPERATOR, mode_of
from . import state_directory
from .host_secrets import Host
from .inventory import DEFAULTS


def directory(host: Host) -> str:
    """The state directory of the cluster: store of keys, answers, reports."""
    return str(_directory(host))


def _directory(host: Host) -> Path:
    sources = host.variable("ansible_inventory_sources", [])
    return state_directory.directory(
        host.variable("cluster_name"), sources, host.variable("kafka_metal_state", "")
    )


def store(host: Host) -> str:
    """The encrypted store of keys and passwords."""
    said = host.variable("security_store", "")
    place = _directory(host)
    return said or str(state_directory.store(place, host.variable("cluster_name")))


def password_file(host: Host) -> str:
    """File with the password of that store."""
    return str(host.variable("security_password_file", DEFAULTS["security_password_file"]))


def person_folder(host: Host) -> str:
    """Where the way in of a person or a program outside the platform is."""
    who, (folder, *_) = str(host.variable("security_person", OPERATOR)), store(host).rsplit("/", 1)
    return f"{folder}/operator" if who == OPERATOR else f"{folder}/users/{who}"


def access(host: Host) -> str:
    """The operator's file of librdkafka; empty where nobody is asked."""
    folder = store(host).rpartition("/")[0]
    closed = mode_of(host.know("security.mode")).secured
    return f"{folder}/operator/client.conf" if closed else ""


def storage(host: Host) -> dict[str, Any]:
    """The storage that drivers, workers and the history of Spark share, as the site declares it."""
    says = host.know("machines.storage_host")
    return dict(host.of(says, "shared_storage") if says else DEFAULTS["shared_storage"])


def config_root(host: Host) -> str:
    """Directory on a machine with one of its own for each service."""
    return str(host.variable("service_config_root"))


def left_file(host: Host) -> str:
    """File on a machine with what the last whole run left there."""
    cluster = host.variable("cluster_name")
    return f"{config_root(host)}/.as-left/{cluster}@{host.variable('inventory_hostname')}.json"


def left(host: Host) -> dict[str, str]:
    """What metal.kafka.machine_info reads of what earlier runs left on a machine."""
    return {
        "cluster": str(host.variable("cluster_name")),
        "kept": left_file(host),
        "textfiles": host.know("monitoring.textfile_dir"),
    }


def support_file(host: Host) -> str:
    """Where a machine puts what `make support` asks of it."""
    return f"/var/lib/kafka-metal/support/{host.variable('cluster_name')}.tar.gz"


def kafka_client(host: Host) -> str:
    """Directory on a machine with the Kafka client of our modules."""
    return f"{host.variable('host_python_dir')}/kafka-python"
