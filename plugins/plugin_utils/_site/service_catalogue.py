# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The services of the platform: which variables hold what. A new service is an entry."""

from __future__ import annotations

from collections.abc import Iterator

from . import metadata_services
from .services import Caller, Service
from .site_model import Site

_LISTENERS = "kafka_broker_listeners"

# Kafka reserves numbers above 1000 for brokers that number themselves.
KAFKA = Service(
    group="kafka",
    role="kafka_broker",
    id="kafka_broker_id",
    ids=(0, 1000),
    ports=(_LISTENERS,),
    directories=("kafka_broker_log_dirs",),
    disks=("kafka_broker_log_dirs",),
    heap="kafka_broker_heap",
    memory="kafka_broker_memory",
    open_files="kafka_broker_nofile",
    rack="kafka_broker_rack",
    agent="kafka_broker_metrics_port",
    callers=(
        Caller("kafka", _LISTENERS, "replication", "kafka_broker_inter_broker_listener"),
        # The playbooks ask the cluster from the brokers' own machines.
        Caller("kafka", _LISTENERS, "questions of the playbooks", "kafka_broker_client_listener"),
        Caller("spark_worker", _LISTENERS, "records", "kafka_broker_client_listener"),
        Caller("pipeline", _LISTENERS, "offsets", "kafka_broker_client_listener"),
    ),
)

# Its scratch space may be that of a worker beside it: each process makes a directory of its own.
SPARK_MASTER = Service(
    group="spark_master",
    role="spark",
    bind="spark_address",
    ports=("spark_master_port", "spark_master_ui_port"),
    heap="spark_daemon_memory",
    memory="spark_memory",
    address="spark_address",
    callers=(
        Caller("spark_worker", "spark_master_port", "registration"),
        Caller("pipeline", "spark_master_port", "applications"),
    ),
    agent="spark_master_metrics_port",
)

SPARK_WORKER = Service(
    group="spark_worker",
    role="spark",
    bind="spark_address",
    ports=("spark_worker_port", "spark_worker_ui_port"),
    directories=("spark_work_dir",),
    heap="spark_worker_memory",
    memory="spark_memory",
    address="spark_address",
    callers=(Caller("spark_master", "spark_worker_port", "starting executors"),),
    agent="spark_worker_metrics_port",
)

SPARK_HISTORY = Service(
    group="spark_history",
    role="spark",
    bind="spark_address",
    ports=("spark_history_port",),
    heap="spark_daemon_memory",
    memory="spark_memory",
    address="spark_address",
    agent="spark_history_metrics_port",
)

# Drivers: one port and one heap per pipeline.
PIPELINE = Service(
    group="pipeline",
    role="pipeline",
    bind="pipeline_address",
    ports=("pipeline_status_port",),
    directories=("pipeline_work_dir",),
    each="pipeline_pipelines",
    own_ports="pipeline_status_ports",
)

# What watches. The node exporter is no service of this group: it is on every machine.
MONITORING = Service(
    group="monitoring",
    role="monitoring",
    bind="monitoring_bind",
    ports=(
        "monitoring_prometheus_port",
        "monitoring_alertmanager_port",
        "monitoring_probe_port",
        "monitoring_exporter_port",
    ),
    directories=("monitoring_data_dir",),
    memory="monitoring_prometheus_memory",
)

SPARK = (SPARK_MASTER, SPARK_WORKER, SPARK_HISTORY)

SERVICES = (*metadata_services.SERVICES, KAFKA, *SPARK, PIPELINE, MONITORING)


def instances(
    site: Site, services: tuple[Service, ...] = SERVICES
) -> Iterator[tuple[str, Service]]:
    """Every host with every service it runs."""
    for service in services:
        for host in site.members(service.group):
            yield host, service
