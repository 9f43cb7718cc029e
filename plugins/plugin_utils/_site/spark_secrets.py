# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Files with secrets of the parts of Spark, of drivers among them."""

from __future__ import annotations

import hashlib
import json

from ...module_utils._common import web_login
from ...module_utils._common.properties_file import to_properties
from .._security import spark_security
from .._security.service_accounts import PIPELINE
from .host_secrets import FOLDER, Files, Host, client_keys, file, trusted


def page_login(host: Host) -> str:
    """What pages of Spark are shown; empty where they ask for nothing."""
    return web_login.basic(host.secret("password:spark-pages")) if host.own.secured else ""


def of_spark(host: Host) -> Files:
    """What all parts of Spark share."""
    if not host.own.secured:
        return []
    shared = spark_security.spark_properties(host.secret("password:spark-rpc"), f"{FOLDER}/pages")
    return [
        file("spark.conf", to_properties(shared)),
        file("pages", page_login(host)),
    ]


def of_recovery(host: Host) -> Files:
    """Of a master that comes into the ensemble."""
    if not host.own.tls or not host.know("spark.recovery_servers"):
        return []
    key = host.secret(f"keypair:{host.variable('spark_master_name')}-ensemble")
    return [file("ensemble.pem", key), trusted(host)]


def of_pipeline(host: Host) -> Files:
    """Of the driver at hand; of no pipeline while the role's own arguments are checked."""
    if not host.own.secured:
        return []
    name = host.variable("__pipeline_name", "")
    users = [f"{PIPELINE}{name}"] if name else []
    shown = client_keys(host, users, host.know("security.own_mode"))
    return [*shown, trusted(host), *of_spark(host)]


def of_part_of_spark(host: Host) -> Files:
    """Of a master, a worker or a history server.

    Executors of every pipeline run in a worker: what proves who a pipeline is, their driver has.
    """
    component = host.variable("spark_component")
    if component == "worker" and host.own.secured:
        return [trusted(host), *of_spark(host)]
    return [*of_spark(host), *(of_recovery(host) if component == "master" else [])]


def spark_keys_id(host: Host) -> str:
    """Changes with what a part of Spark reads only at its start: all restart in the same run."""
    shared = of_spark(host)
    if not shared:
        return ""
    own = of_recovery(host) if host.variable("spark_component") == "master" else []
    return _digest([*shared, *own])


def pipeline_keys_id(host: Host) -> str:
    """The same for drivers."""
    shared = of_spark(host)
    return _digest(shared) if shared else ""


def _digest(files: Files) -> str:
    return hashlib.sha256(json.dumps(files).encode()).hexdigest()[:12]
