# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Files with secrets, for a host: each with name and content. Made where they are read, never kept.

They hold secrets, so they are no facts of the site, which a run keeps in a file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...module_utils._common import web_login
from ...module_utils._common.properties_file import to_properties
from ...module_utils._services import zookeeper_acls
from .._security import security_modes as modes
from .._security import zookeeper_tls, zookeeper_tls_migration
from .._security.store_items import PLATFORM

Files = list[dict[str, str]]

FOLDER = "/etc/kafka-metal"
OPERATOR = modes.OPERATOR


@dataclass(frozen=True)
class Host:
    """The host whose task reads: facts of the site by name, secrets by term, variables."""

    know: Callable[[str], Any]
    secret: Callable[[str], str]
    # The same, or an empty text: the store of an older release has it after the next run.
    known_secret: Callable[[str], str]
    read: Callable[[str, Any], Any]

    def variable(self, name: str, default: Any = None) -> Any:
        """A variable of the task, or the default of a role; raises KeyError without either."""
        return self.read(name, default)

    @property
    def own(self) -> modes.Mode:
        """What programs of the platform show."""
        return modes.mode_of(self.know("security.own_mode"))


def _file(name: str, content: str) -> dict[str, str]:
    return {"name": name, "content": content}


def _trusted(host: Host) -> dict[str, str]:
    return _file("ca.pem", host.secret("truststore"))


def _client(host: Host, users: list[str], mode: str) -> Files:
    """What proves who a client is, for several users."""
    terms = [f"{host.know('people.client_secret')}{user}" for user in users]
    return modes.client_files(users, [host.secret(term) for term in terms], mode)


def server_properties(host: Host) -> dict[str, Any]:
    """Keys of zoo.cfg for ports; which certificates servers show each other, the store knows."""
    stage = host.secret("quorum_stage") if host.know("security.tls") else PLATFORM
    return zookeeper_tls_migration.server_properties(
        host.know("security.mode"),
        host.know("security.phase"),
        int(host.variable("zookeeper_client_port")),
        str(host.variable("zookeeper_bind_address")),
        host.know("security.door_step"),
        stage,
    )


def of_server(host: Host) -> Files:
    """Of a server of the ensemble."""
    if not host.know("security.tls"):
        return []
    name, stage = f"zk{host.variable('zookeeper_server_id')}", host.secret("quorum_stage")
    found = [_file("server.pem", host.secret(f"keypair:{name}")), _trusted(host)]
    if stage == PLATFORM:
        return found
    return [
        *found,
        _file("quorum.pem", host.secret(f"keypair:{name}-quorum")),
        _file(zookeeper_tls.quorum_trusted(stage), host.secret("quorum_truststore")),
    ]


def broker_folder(host: Host) -> str:
    """Where the files of a broker are on its machine."""
    cluster, number = host.variable("cluster_name"), host.variable("kafka_broker_id")
    return f"{FOLDER}/{cluster}-kafka{number}"


def broker_client_file(host: Host) -> str:
    """How our modules on a broker's machine come in; empty while nobody is asked, and elsewhere."""
    is_broker = host.variable("kafka_broker_id", "") != ""
    return f"{broker_folder(host)}/operator.json" if is_broker and host.own.tls else ""


def client_environment(host: Host) -> dict[str, str]:
    """How our modules on a broker's machine find their Kafka client, and their way in."""
    found = {"PYTHONPATH": host.know("machines.kafka_client")}
    file = broker_client_file(host)
    return {**found, "KAFKA_METAL_CLIENT": file} if file else found


def of_broker(host: Host) -> Files:
    """Of a broker, and of our modules beside it."""
    if not host.know("security.tls"):
        return []
    name = f"kafka{host.variable('kafka_broker_id')}"
    folder = broker_folder(host)
    mode = host.know("security.mode")
    ensemble = zookeeper_tls.ensemble_client_properties(mode)
    operator = modes.client_options("mtls", modes.OPERATOR, "/etc/kafka")
    client = {
        "security_protocol": "SSL",
        "ca_file": f"{folder}/ca.pem",
        "cert_file": f"{folder}/operator.pem",
    }
    return [
        _file("broker.pem", host.secret(f"keypair:{name}")),
        _file("ensemble.pem", host.secret(f"keypair:{name}-ensemble")),
        _file("ensemble.properties", to_properties(ensemble)),
        _file("operator.pem", host.secret("keypair:operator")),
        _file("operator.properties", to_properties(operator)),
        _file("operator.json", json.dumps(client)),
        _trusted(host),
    ]


def of_demo(host: Host) -> Files:
    """Of the client of the demonstration."""
    if not host.own.closed:
        return []
    mode = host.know("security.own_mode")
    password = host.secret("password:demo") if host.own.passwords else ""
    options = modes.librdkafka_options(mode, "demo", password, FOLDER)
    return [
        _file("client.conf", to_properties(options)),
        _trusted(host),
        *_client(host, ["demo"], mode),
    ]


def watch_options(host: Host) -> dict[str, str]:
    """Options of librdkafka with which monitoring looks at the cluster from outside."""
    password = host.secret("password:watch") if host.own.passwords else ""
    mode = host.know("security.own_mode")
    return {
        "bootstrap.servers": ",".join(host.know("kafka.bootstrap")),
        **modes.librdkafka_options(mode, "watch", password, "/etc/watch"),
    }


def of_watch(host: Host) -> Files:
    """The files that those options speak of."""
    own, mode = host.own, host.know("security.own_mode")
    shown = _client(host, ["watch"], mode) if own.closed and not own.passwords else []
    return [*shown, *([_trusted(host)] if own.tls else [])]


def of_proxy(host: Host) -> Files:
    """Of the proxy of a machine, which shows figures to whoever has the token."""
    if not host.know("monitoring.proxies"):
        return []
    return [
        _file("proxy.pem", host.secret(f"keypair:{host.know('people.proxy_key')}")),
        _file("token", host.secret("password:metrics-proxy")),
    ]


def of_proxied(host: Host) -> Files:
    """Of Prometheus, which reads through proxies."""
    if not host.know("monitoring.proxies"):
        return []
    return [_trusted(host), _file("metrics.token", host.secret("password:metrics-proxy"))]


def web_password(host: Host) -> str:
    """What Prometheus and Alertmanager of a host ask for; empty where they ask for nothing."""
    return host.secret("password:monitoring-web") if host.know("people.web_asks") else ""


def web_password_known(host: Host) -> str:
    """The same for verbs that only read."""
    return host.known_secret("password:monitoring-web") if host.know("people.web_asks") else ""


def all_secrets(host: Host) -> list[str]:
    """Every secret that the control node knows: support archives are redacted of them."""
    stored = [host.known_secret(name) for name in host.know("people.secret_names")]
    return [*stored, *host.know("people.receiver_secrets")]


def page_word(host: Host) -> str:
    """What pages of Spark are shown; empty where they ask for nothing."""
    return web_login.basic(host.secret("password:spark-pages")) if host.own.closed else ""


def of_spark(host: Host) -> Files:
    """What all parts of Spark share."""
    if not host.own.closed:
        return []
    shared = modes.spark_properties(host.secret("password:spark-rpc"), f"{FOLDER}/pages")
    return [
        _file("spark.conf", to_properties(shared)),
        _file("pages", page_word(host)),
    ]


def of_recovery(host: Host) -> Files:
    """Of a master that comes into the ensemble."""
    if not host.own.tls or not host.know("spark.recovery_servers"):
        return []
    key = host.secret(f"keypair:{host.variable('spark_master_name')}-ensemble")
    return [_file("ensemble.pem", key), _trusted(host)]


def of_pipelines(host: Host) -> Files:
    """Of drivers, and of workers, whose executors read what drivers read."""
    if not host.own.closed:
        return []
    users = [f"pipeline-{name}" for name in host.know("pipelines.names")]
    shown = _client(host, users, host.know("security.own_mode"))
    return [*shown, _trusted(host), *of_spark(host)]


def of_part_of_spark(host: Host) -> Files:
    """Of a master, a worker or a history server."""
    if host.variable("spark_component") == "worker":
        return of_pipelines(host)
    return [*of_spark(host), *of_recovery(host)]


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


def passwords(host: Host) -> dict[str, str]:
    """Passwords of users, by name."""
    return {name: host.secret(f"password:{name}") for name in host.know("people.passwords")}


def nodes(host: Host) -> list[dict[str, Any]]:
    """Nodes of the ensemble with their owners, by the subjects of certificates."""
    recovering = host.know("spark.recovery_servers")
    owners = (
        [f"kafka{number}" for number in host.know("kafka.ids")],
        [each["name"] for each in host.know("spark.masters")] if recovering else [],
    )
    brokers, masters = (
        [_subject(host.secret(f"certificate:{name}-ensemble")) for name in names]
        for names in owners
    )
    node, trust = host.know("spark.recovery_node"), host.know("security.ensemble_trust")
    return zookeeper_acls.wanted(brokers, masters, node, trust)


def _subject(certificate: str) -> str:
    return zookeeper_tls.subject(certificate)


def _who(host: Host) -> str:
    """Whose way in it is."""
    return str(host.variable("security_person", OPERATOR))


def of_benchmark(host: Host) -> Files:
    """Of the client that measures the cluster, with the rights of a person."""
    if not host.know("security.closed"):
        return []
    who, mode = _who(host), host.know("security.mode")
    folder = f"{host.variable('benchmark_directory')}/client"
    secret = host.secret(f"{host.know('people.client_secret')}{who}")
    java = modes.client_options(mode, who, folder)
    python = {"client_config": modes.kafka_python_settings(mode, who, secret, folder)}
    return [
        *modes.client_files([who], [secret], mode),
        _trusted(host),
        _file("client.properties", to_properties(java)),
        _file("client.json", json.dumps(python)),
    ]


def of_person(host: Host) -> Files:
    """On the control node: the way in of a person or a program outside the platform."""
    who, folder = _who(host), host.know("people.person_folder")
    mode = host.know("security.mode")
    secret = host.secret(f"{host.know('people.client_secret')}{who}")
    native = modes.librdkafka_options(mode, who, secret, folder)
    java = modes.client_options(mode, who, folder)
    found = [
        *modes.client_files([who], [secret], mode),
        _trusted(host),
        _file("client.conf", to_properties(modes.with_time_limits(native, "librdkafka"))),
        _file("client.properties", to_properties(modes.with_time_limits(java, "java"))),
    ]
    return [*found, *_of_operator(host)] if who == OPERATOR else found


def _of_operator(host: Host) -> Files:
    """What the operator has beside that."""
    found = []
    if host.know("security.passwords"):
        found.append(_file("operator.pem", host.secret("keypair:operator")))
    for name, term, there in (
        ("spark-pages", "password:spark-pages", host.know("spark.masters")),
        ("monitoring-web", "password:monitoring-web", host.know("people.web")),
    ):
        if there:
            found.append(_file(name, web_login.curl_options(host.secret(term))))
    return found
