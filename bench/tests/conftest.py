"""A plan like that of the role, with a small declared cluster."""

from pathlib import Path

import pytest
import yaml

ROLE = Path(__file__).resolve().parents[2] / "roles/benchmark/vars"
ADDRESS = "172.31.250.1"


def table(name, key):
    return yaml.safe_load((ROLE / f"{name}.yml").read_text(encoding="utf-8"))[key]


def declared_broker(number):
    properties = {
        "advertised.listeners": f"CLIENTS://{ADDRESS}:2909{number},BROKERS://{ADDRESS}:2919{number}",
        "broker.id": number,
        "inter.broker.listener.name": "BROKERS",
        "listener.security.protocol.map": "BROKERS:PLAINTEXT,CLIENTS:PLAINTEXT",
        "listeners": f"CLIENTS://{ADDRESS}:2909{number},BROKERS://{ADDRESS}:2919{number}",
        "log.dirs": f"/bench/data/kafka{number}/disk1,/bench/data/kafka{number}/disk2",
        "num.io.threads": 8,
        "store.connect": f"{ADDRESS}:22181",
    }
    content = "# ours\n" + "".join(f"{k}={v}\n" for k, v in properties.items())
    disks = [f"/bench/data/kafka{number}/disk{disk}" for disk in (1, 2)]
    return {
        "kind": "kafka_broker",
        "name": f"kafka{number}",
        "config_target": "/etc/kafka",
        "files": [{"name": "server.properties", "content": content}],
        "definition": {
            "name": f"bench-kafka{number}",
            "image": "kafka:1",
            "entrypoint": ["log-relay", "/log", "20m"],
            "command": ["kafka-server", "/etc/kafka/server.properties"],
            "environment": {"KAFKA_HEAP": "1g", "KAFKA_JVM_OPTIONS": "-XX:+UseG1GC -Da=b"},
            "user": "10001:10001",
            "network_mode": "host",
            "read_only": True,
            "cap_drop": ["ALL"],
            "pids_limit": 4096,
            "tmpfs": ["/tmp:exec"],
            "volumes": [{"type": "bind", "source": disk, "target": disk} for disk in disks],
        },
    }


@pytest.fixture
def broker():
    return declared_broker


@pytest.fixture
def plain():
    return {
        "settings": {
            "records": 1000,
            "warmup_records": 2000,
            "record_size": 100,
            "partitions": 6,
            "image": "kafka:1",
            "entrypoint": ["log-relay", "/log", "20m"],
        },
        "minutes": 1,
        "rounds": 5,
        "directory": "/bench",
        "cluster": "bench",
        "address": ADDRESS,
        "subnet": "172.31.250.0/24",
        "bootstrap": f"{ADDRESS}:29091",
        "access": "",
        "brokers": 3,
        "client_image": "kafka:1",
        "services": [declared_broker(1)],
        "metadata_keys": ["store.connect"],
        "stock_environment": {"KAFKA_JVM_OPTIONS": "-Dstock=1"},
        "rows": table("table", "__benchmark_rows"),
        "variants": table("table", "__benchmark_variants"),
        "knobs": table("knobs", "__benchmark_knobs"),
        "software": {"kafka": "3.9"},
        "command": "make bench",
    }
