"""Instances that an inventory declares, with their machines and endpoints.

Names of inventory variables occur only in this file.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.loader import init_plugin_loader
from ansible.template import Templar
from ansible.vars.manager import VariableManager


@dataclass(frozen=True)
class Instance:
    """One container of the platform.

    ``machine`` is the inventory's name of its host; ``address`` and ``port`` are reachable from the
    machine that runs the tests.
    """

    container: str
    machine: str
    address: str = ""
    port: int = 0
    log_dirs: tuple[str, ...] = ()

    @property
    def endpoint(self) -> str:
        """Return ``address:port``."""
        return f"{self.address}:{self.port}"


@dataclass(frozen=True)
class Topology:
    """A cluster as declared; brokers and ZooKeeper servers by their ids."""

    cluster: str
    machines: tuple[str, ...]
    zookeepers: dict[int, Instance] = field(default_factory=dict)
    brokers: dict[int, Instance] = field(default_factory=dict)
    # Endpoints of these three are their web pages.
    spark_masters: dict[str, Instance] = field(default_factory=dict)
    spark_workers: dict[str, Instance] = field(default_factory=dict)
    histories: dict[str, Instance] = field(default_factory=dict)
    # By the name of the pipeline; endpoints are their status pages.
    drivers: dict[str, Instance] = field(default_factory=dict)
    # Shared directory with archive and checkpoints, on the machines of Spark and pipelines.
    shared_dir: str = ""
    # Declared topics and pipelines, as variables of the inventory.
    content: Mapping[str, Any] = field(default_factory=dict)

    @property
    def bootstrap(self) -> str:
        """Return the client endpoints of all brokers, separated by commas."""
        return ",".join(broker.endpoint for broker in self.brokers.values())

    @property
    def pages(self) -> list[Instance]:
        """Return every instance of Spark and every driver; each has a web page."""
        groups = (self.spark_masters, self.spark_workers, self.histories, self.drivers)
        return [instance for group in groups for instance in group.values()]

    @property
    def instances(self) -> list[Instance]:
        """Return every instance."""
        groups = (self.zookeepers, self.brokers)
        return [*self.pages, *(instance for group in groups for instance in group.values())]


class _Host:
    """Variables of one inventory host; templates are resolved on access."""

    def __init__(self, name: str, loader: DataLoader, variables: dict[str, Any]) -> None:
        self._variables = variables
        self._templar = Templar(loader=loader, variables=variables)
        # A host with a local connection is an instance of a service on this machine.
        local = variables.get("ansible_connection") == "local"
        self.machine = "localhost" if local else name
        self.cluster = self["cluster_name"]
        # The machine of the tests cannot resolve the names of nodes.
        self.reached_at = variables.get("node_address")

    def __getitem__(self, variable: str) -> Any:
        return self._templar.template(self._variables[variable])

    def instance(self, name: str, **more: Any) -> Instance:
        return Instance(f"{self.cluster}-{name}", self.machine, **more)


def read(*inventories: Path) -> Topology:
    """Return the cluster that inventories declare; a later inventory takes precedence."""
    loader = DataLoader()
    inventory = InventoryManager(loader, sources=[str(path) for path in inventories])
    # An inventory may use lookups.
    init_plugin_loader()
    variables = VariableManager(loader, inventory)

    def hosts(group: str) -> list[_Host]:
        found = [inventory.get_host(name) for name in inventory.get_groups_dict().get(group, [])]
        return [_Host(host.name, loader, variables.get_vars(host=host)) for host in found]

    drivers = hosts("pipeline")
    return Topology(
        cluster=hosts("all")[0].cluster,
        machines=tuple(host.machine for host in hosts("metal")),
        zookeepers=dict(_zookeeper(host) for host in hosts("zookeeper")),
        brokers=dict(_broker(host) for host in hosts("kafka")),
        spark_masters=dict(_master(host) for host in hosts("spark_master")),
        spark_workers=dict(_worker(host) for host in hosts("spark_worker")),
        histories=dict(_history(host) for host in hosts("spark_history")),
        drivers=dict(driver for host in drivers for driver in _drivers(host)),
        shared_dir=drivers[0]["pipeline_shared_dir"] if drivers else "",
        content=_content(hosts("kafka")[0], drivers[0]) if drivers else {},
    )


def _content(broker: _Host, driver: _Host) -> dict[str, Any]:
    found = {
        "kafka_content_topics": broker["kafka_content_topics"],
        "pipeline_pipelines": driver["pipeline_pipelines"],
    }
    # Ansible's own types of strings and mappings.
    plain: dict[str, Any] = json.loads(json.dumps(found))
    return plain


def _zookeeper(host: _Host) -> tuple[int, Instance]:
    server = int(host["zookeeper_server_id"])
    address = host.reached_at or host["zookeeper_address"]
    port = int(host["zookeeper_client_port"])
    return server, host.instance(f"zk{server}", address=address, port=port)


def _broker(host: _Host) -> tuple[int, Instance]:
    broker = int(host["kafka_broker_id"])
    listener = host["kafka_broker_listeners"]["CLIENTS"]
    return broker, host.instance(
        f"kafka{broker}",
        address=listener["advertise"],
        port=int(listener["port"]),
        log_dirs=tuple(host["kafka_broker_log_dirs"]),
    )


def _master(host: _Host) -> tuple[str, Instance]:
    return _page(host, host["spark_master_name"], host["spark_master_ui_port"])


def _history(host: _Host) -> tuple[str, Instance]:
    return _page(host, host["spark_history_name"], host["spark_history_port"])


def _worker(host: _Host) -> tuple[str, Instance]:
    return _page(host, host["spark_worker_name"], host["spark_worker_ui_port"])


def _page(host: _Host, name: str, port: Any) -> tuple[str, Instance]:
    """Return name and instance of one of Spark's processes; its endpoint is its web page."""
    address = host.reached_at or host["spark_address"]
    return name, host.instance(name, address=address, port=int(port))


def _drivers(host: _Host) -> Iterator[tuple[str, Instance]]:
    address, first = host.reached_at or host["pipeline_address"], int(host["pipeline_status_port"])
    for port, name in enumerate(host["pipeline_pipelines"], first):
        yield name, host.instance(f"pipeline-{name}", address=address, port=port)
