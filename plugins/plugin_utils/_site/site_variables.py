# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Variables of the site as a whole, which several roles or none have. Defaults: inventory.py."""

from __future__ import annotations

from collections.abc import Mapping

# With what they are for.
SITE_VARIABLES: Mapping[str, str] = {
    "cluster_name": "first part of every container's name, label and data path",
    "kafka_metal_state": "directory on the control node for the store of keys, answers and reports",
    "port_offset": "added to every port",
    "kafka_metadata_mode": "where brokers keep their metadata",
    "security_mode": "how clients and brokers authenticate",
    "security_store": "encrypted file of the control node with keys and passwords",
    "security_password_file": "file of the control node with the password of that store",
    "security_super_users": "principals that no ACL binds, beside brokers and the operator",
    "security_warn_days": "days before the end of a certificate at which the status complains",
    "monitoring_proxied": "figures leave machines through a proxy each",
    "security_migration": "goal of the TLS migration of a running cluster",
    "monitoring_web_open": "Prometheus and Alertmanager of a secured cluster ask for no password",
    "security_migration_port_offset": "distance of ports during the TLS migration",
    "security_ensemble_trust": "CA that servers of the ensemble trust, and who owns its nodes",
    "shared_storage": "where checkpoints, archives and the logs of applications of Spark lie",
    "images_registry": "prefix of every image",
    "image_versions": "versions of images that the site wants instead of those in versions.yml",
    "metal_allow_root_disk": "data may lie on the disk of the operating system",
    "preflight_memory_reserve": "memory of a machine that services leave to the system",
    "preflight_free_engine": "free space the container engine needs for images",
    "preflight_free_data": "free space a data directory needs",
    "preflight_free_inodes": "files that a data directory must still have room for",
    "preflight_clock_offset": "seconds that clocks of machines may differ",
    "preflight_known_variables": "variables of the site that look like ours and are not",
    "metal_preflight_accept": "names of checks whose problems are accepted knowingly",
}
