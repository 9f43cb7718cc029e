# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Every fact of the site by its name: of the site, of each host of a group, or with secrets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import files, kafka, machines, monitoring, people, security, spark, zookeeper
from .inventory import HostFact, SiteFact

OF_THE_SITE: Mapping[str, SiteFact] = {
    "kafka.asking_bootstrap": kafka.asking_bootstrap,
    "kafka.bootstrap": kafka.bootstrap,
    "kafka.brokers": kafka.brokers,
    "kafka.certificate_addresses": kafka.certificate_addresses,
    "kafka.certificate_endpoints": kafka.certificate_endpoints,
    "kafka.hosts": kafka.hosts,
    "kafka.ids": kafka.ids,
    "kafka.metadata_properties": kafka.metadata_properties,
    "kafka.names": kafka.names,
    "kafka.operator_bootstrap": kafka.operator_bootstrap,
    "kafka.protocol_key": kafka.protocol_key,
    "kafka.talks_on": kafka.talks_on,
    "machines.names": machines.names,
    "monitoring.alertmanager_peers": monitoring.alertmanager_peers,
    "monitoring.alertmanagers": monitoring.alertmanagers,
    "monitoring.of_machines": monitoring.of_machines,
    "monitoring.pipelines": monitoring.pipelines,
    "monitoring.proxies": monitoring.proxies,
    "monitoring.spark_masters": monitoring.spark_masters,
    "monitoring.spark_workers": monitoring.spark_workers,
    "monitoring.targets": monitoring.targets,
    "monitoring.watching": monitoring.watching,
    "people.certificates": people.certificates,
    "people.client_secret": people.client_secret,
    "people.passwords": people.passwords,
    "people.programs": people.content_programs,
    "people.secret_names": people.secret_names,
    "people.stored_passwords": people.stored_passwords,
    "people.user_defaults": people.user_defaults,
    "people.users": people.users,
    "people.web": people.web,
    "pipelines.kafka_options": people.pipeline_options,
    "pipelines.names": people.pipeline_names,
    "security.door_step": security.door_step,
    "security.mode": security.mode,
    "security.own_mode": security.own_mode,
    "security.phase": security.phase,
    "security.phase_words": security.phase_words,
    "security.words": security.words,
    "spark.histories": spark.histories,
    "spark.master_endpoints": spark.master_endpoints,
    "spark.masters": spark.masters,
    "spark.properties_file": spark.properties_file,
    "spark.recovery_files": spark.recovery_files,
    "spark.recovery_node": spark.recovery_node,
    "spark.recovery_servers": spark.recovery_servers,
    "spark.workers": spark.workers,
    "zookeeper.asks_by_certificate": zookeeper.asks_by_certificate,
    "zookeeper.endpoints": zookeeper.endpoints,
    "zookeeper.ensemble": zookeeper.ensemble,
    "zookeeper.session_limit": zookeeper.session_limit,
}

OF_A_HOST: Mapping[str, HostFact] = {
    "kafka.doors": kafka.doors,
    "kafka.other_paths": kafka.other_paths,
    "kafka.protocols": kafka.protocols,
    "kafka.security_properties": kafka.security_properties,
    "machines.machine": machines.machine,
    "monitoring.disk_mounts": monitoring.disk_mounts,
    "monitoring.textfile_dir": monitoring.textfile_dir,
    "people.proxy_key": people.proxy_key,
    "people.web_asks": people.web_asks,
}

WITH_SECRETS: Mapping[str, Callable[[files.Host], Any]] = {
    "benchmark.files": files.of_benchmark,
    "demo.files": files.of_demo,
    "kafka.client_file": files.broker_client_file,
    "kafka.files": files.of_broker,
    "kafka.folder": files.broker_folder,
    "monitoring.kafka_files": files.of_watch,
    "monitoring.kafka_options": files.watch_options,
    "monitoring.proxied_files": files.of_proxied,
    "monitoring.proxy_files": files.of_proxy,
    "monitoring.web_password": files.web_password,
    "people.content_passwords": files.passwords,
    "people.person_files": files.of_person,
    "people.person_folder": files.person_folder,
    "pipelines.files": files.of_pipelines,
    "pipelines.keys_id": files.pipeline_keys_id,
    "spark.files": files.of_part_of_spark,
    "spark.keys_id": files.spark_keys_id,
    "spark.page_word": files.page_word,
    "zookeeper.files": files.of_server,
    "zookeeper.node_owners": files.node_owners,
    "zookeeper.properties": files.server_properties,
}

NAMES = sorted({*OF_THE_SITE, *OF_A_HOST, *WITH_SECRETS})
