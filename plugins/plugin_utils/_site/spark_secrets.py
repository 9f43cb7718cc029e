# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Files with secrets of Spark's services and drivers."""

from __future__ import annotations

import hashlib
import json

from ...module_utils._common import web_login
from ...module_utils._common.properties_file import to_properties
from .._security import spark_security
from .._security.service_accounts import PIPELINE
from .host_secrets import FOLDER, Files, Host, client_keys, file, trusted


def page_login(host: Host) -> str:
    """Basic authentication value for Spark's web pages; empty if they require no password."""
    return (
        web_login.basic_credentials(host.secret("password:spark-pages"))
        if host.service_account_mode.secured
        else ""
    )


def shared_files(host: Host) -> Files:
    """Files that all services of Spark share."""
    if not host.service_account_mode.secured:
        return []
    shared = spark_security.spark_properties(host.secret("password:spark-rpc"), f"{FOLDER}/pages")
    return [
        file("spark.conf", to_properties(shared)),
        file("pages", page_login(host)),
    ]


def recovery_files(host: Host) -> Files:
    """Files with which a master authenticates to the ensemble."""
    if not host.service_account_mode.tls or not host.fact("spark.recovery_servers"):
        return []
    key = host.secret(f"keypair:{host.variable('spark_master_name')}-ensemble")
    return [file("ensemble.pem", key), trusted(host)]


def pipeline_files(host: Host) -> Files:
    """Files of the current pipeline's driver; without user while role arguments are validated."""
    if not host.service_account_mode.secured:
        return []
    name = host.variable("__pipeline_name", "")
    users = [f"{PIPELINE}{name}"] if name else []
    keys = client_keys(host, users, host.fact("security.service_account_mode"))
    return [*keys, trusted(host), *shared_files(host)]


def component_files(host: Host) -> Files:
    """Files of a master, a worker or a history server.

    Executors of all pipelines run in a worker, so only drivers have the keys of pipelines.
    """
    component = host.variable("spark_component")
    if component == "worker" and host.service_account_mode.secured:
        return [trusted(host), *shared_files(host)]
    return [*shared_files(host), *(recovery_files(host) if component == "master" else [])]


def spark_keys_digest(host: Host) -> str:
    """Digest of the files that a service of Spark reads only at its start; a change restarts it."""
    shared = shared_files(host)
    if not shared:
        return ""
    own = recovery_files(host) if host.variable("spark_component") == "master" else []
    return _digest([*shared, *own])


def pipeline_keys_digest(host: Host) -> str:
    """Digest of the files that a driver reads only at its start; a change restarts it."""
    shared = shared_files(host)
    return _digest(shared) if shared else ""


def _digest(files: Files) -> str:
    return hashlib.sha256(json.dumps(files).encode()).hexdigest()[:12]
