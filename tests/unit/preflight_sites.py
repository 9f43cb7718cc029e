"""A valid site for tests of preflight, and functions that plant one fault in it."""

from collections.abc import Callable
from typing import Any

from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.problem import Problem
from ansible_collections.metal.kafka.plugins.plugin_utils._preflight.checks import check
from ansible_collections.metal.kafka.plugins.plugin_utils._site.site_model import Role

GIB = 1024**3

# By name: the function that plants the fault, and parts of the message that reports it.
Faults = dict[str, tuple[Callable[["ValidSite"], None], list[str]]]


class ValidSite:
    """Three machines, each with a server, a broker, and Spark; a driver on the first."""

    def __init__(self) -> None:
        self.groups: dict[str, list[str]] = {"metal": ["m1", "m2", "m3"]}
        self.hosts: dict[str, dict[str, Any]] = {}
        self.facts: dict[str, dict[str, Any]] = {}
        for number in (1, 2, 3):
            self._machine(number)
            self._instance("zookeeper", f"zk{number}", number, self._server(number))
            self._instance("kafka", f"kafka{number}", number, self._broker(number))
            self._instance("spark_worker", f"worker{number}", number, self._worker())
        self._instance("spark_master", "master1", 1, self._master())
        self._instance("pipeline", "driver1", 1, self._driver())
        for host in self.hosts.values():
            host["cluster_name"] = "prod-1"
            host["kafka_metadata_mode"] = "zookeeper"
            host["kafka_metadata_properties_zookeeper"] = {}
            host["security_mode"] = "tls_scram"

    def _machine(self, number: int) -> None:
        self.hosts[f"m{number}"] = {"ansible_host": f"10.0.0.{number}"}
        data = {"kind": "xfs", "options": ["noatime", "nodev", "nosuid", "rw"], "read_only": False}
        room = {"free": 99 * GIB, "inodes": 10**7, "free_inodes": 10**6, "system": False}
        disk1 = {"mount": "/data/1", "device": "/dev/sdb", "disk": "sdb", **data, **room}
        disk2 = {**disk1, "mount": "/data/2", "device": "/dev/sdc", "disk": "sdc"}
        root = {**disk1, "mount": "/", "device": "/dev/sda1", "disk": "sda", "system": True}
        self.facts[f"m{number}"] = {
            "system": {"id": "debian", "version": "13", "name": "Debian GNU/Linux 13"},
            "architecture": "x86_64",
            "python": "3.13.5",
            "memory": 32 * GIB,
            "addresses": [f"10.0.0.{number}"],
            "paths": {
                "/data/1": disk1,
                "/data/2": disk2,
                "/var/lib/docker": root,
                "/var/lib/zk/data": root,
                "/var/lib/zk/log": root,
                "/var/lib/spark/worker": root,
                "/var/lib/spark/driver": root,
            },
            "listeners": [],
            "kernel": "6.12.48+deb13-amd64",
            "identity": {"hostname": f"m{number}", "machine_id": f"{number}" * 32},
            "interfaces": [
                {"name": "eth0", "mac": f"02::{number}", "mtu": 1500, "address": f"10.0.0.{number}"}
            ],
            "ephemeral": {"first": 32768, "last": 60999, "reserved": []},
            "names": {},
            "engine": {
                "version": "26.1.5",
                "api": "1.45",
                "driver": "overlay2",
                "root": "/var/lib/docker",
                "live_restore": True,
                "memory_limit": True,
                "protections": ["apparmor", "seccomp"],
            },
            "limits": {
                "open_files": 1048576,
                "processes": 250000,
                "map_count": 262144,
                "swap": 0,
            },
            "cgroup": {"version": 2, "memory": True},
            "protections": {"selinux": None, "apparmor": True, "apparmor_parser": True},
            "clock": {"time": 1000.5, "synchronised": True},
            "control_node_time": {"before": 1000.0, "after": 1001.0},
        }

    def _instance(self, group: str, host: str, number: int, values: dict[str, Any]) -> None:
        self.groups.setdefault(group, []).append(host)
        self.hosts[host] = {"ansible_host": f"10.0.0.{number}", **values}

    def _server(self, number: int) -> dict[str, Any]:
        return {
            "zookeeper_server_id": number,
            "zookeeper_address": f"10.0.0.{number}",
            "zookeeper_bind_address": "0.0.0.0",
            "zookeeper_client_port": 2181,
            "zookeeper_peer_port": 2888,
            "zookeeper_election_port": 3888,
            "zookeeper_data_dir": "/var/lib/zk/data",
            "zookeeper_log_dir": "/var/lib/zk/log",
            "zookeeper_heap": "512m",
            "zookeeper_memory": "1g",
        }

    def _broker(self, number: int) -> dict[str, Any]:
        at = {"bind": "0.0.0.0", "advertise": f"10.0.0.{number}", "protocol": "PLAINTEXT"}
        return {
            "kafka_broker_id": number,
            "kafka_broker_listeners": {
                "CLIENTS": {**at, "port": 9092},
                "BROKERS": {**at, "port": 9192},
            },
            "kafka_broker_log_dirs": ["/data/1", "/data/2"],
            "kafka_broker_heap": "4g",
            "kafka_broker_memory": "",
            "kafka_broker_nofile": 100000,
            "kafka_broker_rack": f"r{number}",
            "kafka_broker_client_listener": "CLIENTS",
            "kafka_broker_inter_broker_listener": "BROKERS",
            "kafka_broker_properties": {},
            "kafka_content_topics": {
                "payments": {"retention": "7d"},
                "frauds": {"cleanup": "compact", "retention_size": "10GB"},
                "payments-invalid": None,
            },
            "kafka_content_defaults": {"partitions": 6, "replication": 3, "min_insync": 2},
            "kafka_content_name_pattern": "[a-z0-9._-]+",
        }

    def _master(self) -> dict[str, Any]:
        return {
            "spark_address": "10.0.0.1",
            "spark_master_name": "master1",
            "spark_master_port": 7077,
            "spark_master_ui_port": 8080,
            "spark_daemon_memory": "256m",
            "spark_memory": "512m",
        }

    def _worker(self) -> dict[str, Any]:
        return {
            "spark_address": "0.0.0.0",
            "spark_worker_port": 7078,
            "spark_worker_ui_port": 8081,
            "spark_work_dir": "/var/lib/spark/worker",
            "spark_worker_cores": 2,
            "spark_worker_memory": "2g",
            "spark_memory": "",
        }

    def _driver(self) -> dict[str, Any]:
        return {
            "pipeline_address": "10.0.0.1",
            "pipeline_status_port": 4050,
            "pipeline_work_dir": "/var/lib/spark/driver",
            "pipeline_overhead_mb": 512,
            "pipeline_pipelines": {
                "payments": {
                    "source": {
                        "topic": "payments",
                        "format": "json",
                        "schema": "id STRING NOT NULL, p DOUBLE",
                    },
                    "outputs": {
                        "fraud": {
                            "sql": "SELECT * FROM events WHERE p > 0.8",
                            "topic": "frauds",
                            "key": "id",
                        }
                    },
                    "invalid": "payments-invalid",
                    "resources": {"cores": 2, "driver_memory": "1g"},
                }
            },
        }

    def pipeline(self) -> dict[str, Any]:
        return self.hosts["driver1"]["pipeline_pipelines"]["payments"]

    def topics(self) -> dict[str, Any]:
        return self.hosts["kafka1"]["kafka_content_topics"]


BROKER_OPTIONS = (
    *("id", "listeners", "log_dirs", "heap", "memory", "properties", "nofile", "rack"),
    *("client_listener", "inter_broker_listener", "metrics_bind", "metrics_port"),
    *("host_properties", "extra_keys", "image"),
)
ROLES = {
    "kafka_broker": Role(
        "kafka_broker",
        {
            **{f"kafka_broker_{name}": {} for name in BROKER_OPTIONS},
            "kafka_broker_image": {"type": "str"},
        },
    )
}


def validated(site: ValidSite) -> list[Problem]:
    """Return the problems and notes of all checks."""
    return check(site.hosts, site.groups, site.facts, ROLES)


def problems(site: ValidSite, fatal: bool = True) -> list[str]:
    """Return the texts of problems, or of notes."""
    return [str(problem) for problem in validated(site) if problem.fatal is fatal]


def put(host: str, variable: str, value: Any) -> Callable[[ValidSite], None]:
    def plant(site: ValidSite) -> None:
        site.hosts[host][variable] = value

    return plant


def put_everywhere(variable: str, value: Any) -> Callable[[ValidSite], None]:
    def plant(site: ValidSite) -> None:
        for host in site.hosts.values():
            host[variable] = value

    return plant


def drop(host: str, variable: str) -> Callable[[ValidSite], None]:
    return lambda site: site.hosts[host].pop(variable)


def fact(key: str, value: Any) -> Callable[[ValidSite], None]:
    return lambda site: site.facts["m2"].update({key: value})


def topic(name: str, **entry: Any) -> Callable[[ValidSite], None]:
    return lambda site: site.topics().update({name: entry})


def leave(group: str, *hosts: str) -> Callable[[ValidSite], None]:
    return lambda site: site.groups.update({group: list(hosts)})


def listener(port: int, **owner: Any) -> Callable[[ValidSite], None]:
    known = {"address": "0.0.0.0", "process": "java", "container": None, "cluster": None}
    return fact("listeners", [{**known, "port": port, **owner}])


def pipeline(**entry: Any) -> Callable[[ValidSite], None]:
    return lambda site: site.pipeline().update(entry)


def full(path: str) -> Callable[[ValidSite], None]:
    def plant(site: ValidSite) -> None:
        paths = site.facts["m2"]["paths"]
        paths[path] = {**paths[path], "free": 100 * 1024**2}

    return plant


def place(path: str, machine: str = "m2", **changes: Any) -> Callable[[ValidSite], None]:
    """Change the filesystem of a directory on a machine."""

    def plant(site: ValidSite) -> None:
        paths = site.facts[machine]["paths"]
        paths[path] = {**paths[path], **changes}

    return plant


def inside(key: str, **changes: Any) -> Callable[[ValidSite], None]:
    """Change values inside one fact of the second machine."""

    def plant(site: ValidSite) -> None:
        site.facts["m2"][key] = {**site.facts["m2"][key], **changes}

    return plant
