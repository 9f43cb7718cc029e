# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Variables of the whole site, which several roles or no role use. Defaults: inventory.py."""

from __future__ import annotations

from collections.abc import Mapping

# Variables with their purpose.
SITE_VARIABLES: Mapping[str, str] = {
    "cluster_name": "first part of every container's name, label and data path",
    "kafka_metal_state": "directory on the control node for the store of keys, results and reports",
    "port_offset": "added to every port",
    "kafka_metadata_mode": "where brokers keep their metadata",
    "security_mode": "how clients and brokers authenticate",
    "security_store": "encrypted file of the control node with keys and passwords",
    "security_password_file": "file of the control node with the password of that store",
    "security_super_users": "additional principals that ACLs do not restrict",
    "security_warn_days": "days before its expiry from which a certificate is reported",
    "monitoring_proxied": "whether a proxy on each machine serves its metrics",
    "security_migration": "goal of the TLS migration of a running cluster",
    "monitoring_web_open": "Prometheus and Alertmanager of a secured cluster need no password",
    "security_migration_port_offset": "offset of the ports added during the TLS migration",
    "security_ensemble_trust": "CA that metadata servers trust, and whether their data has ACLs",
    "shared_storage": "storage of checkpoints, archives and event logs of Spark's applications",
    "images_registry": "prefix of every image",
    "image_versions": "versions of images that replace those in versions.yml",
    "metal_allow_root_disk": "whether data may be on the disk of the operating system",
    "preflight_memory_reserve": "memory of a machine reserved for the system",
    "preflight_free_engine": "free space that the container engine needs for images",
    "preflight_free_data": "free space that a data directory needs",
    "preflight_free_inodes": "free inodes that a data directory needs",
    "preflight_clock_offset": "seconds by which clocks of machines may differ",
    "preflight_known_variables": "other variables of the site, which no role reads",
    "metal_preflight_accept": "names of checks whose problems are accepted",
}
