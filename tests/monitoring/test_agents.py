"""Broker, server of the ensemble and master of Spark give what the catalogue says they give."""

import contextlib
import re
import socket
import subprocess
import time
import urllib.error
import urllib.request

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.monitoring_files import (
    read_series,
)
from conftest import reference

NETWORK = "kafka-metal-test-agents"
# Given only for as long as something goes on.
PASSING = {"kafka_log_remaining_to_recover"}

PORTS = {"kafka": ("kafka", 9404), "zookeeper": ("zk", 9410), "spark": ("spark", 9421)}

ENSEMBLE = """\
dataDir=/tmp/data
clientPort=2181
tickTime=2000
initLimit=10
syncLimit=5
admin.enableServer=false
4lw.commands.whitelist=srvr
standaloneEnabled=false
server.1=zk:2888:3888
"""
BROKER = """\
broker.id=1
listeners=CLIENTS://0.0.0.0:9092
advertised.listeners=CLIENTS://127.0.0.1:9092
listener.security.protocol.map=CLIENTS:PLAINTEXT
inter.broker.listener.name=CLIENTS
log.dirs=/tmp/disk1,/tmp/disk2
zookeeper.connect=zk:2181
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
"""


def docker(*words, check=True, seconds=120):
    return subprocess.run(
        ["docker", *words], check=check, capture_output=True, text=True, timeout=seconds
    ).stdout.strip()


def started(name, image, folder, target, environment, *command):
    options = [word for key, value in environment.items() for word in ("--env", f"{key}={value}")]
    docker(
        *("run", "--detach", "--rm", "--name", f"{NETWORK}-{name}", "--network", NETWORK),
        *("--network-alias", name, "--tmpfs", "/tmp:exec,mode=1777"),
        *("--volume", f"{folder}:{target}:ro", *options, reference(image), *command),
    )


def address_of(name):
    return docker(
        *("inspect", "--format", "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}"),
        f"{NETWORK}-{name}",
    )


def figures(name, port, timeout=90):
    """What an agent says, once it answers."""
    address = address_of(name)
    end = time.monotonic() + timeout
    while True:
        try:
            with urllib.request.urlopen(f"http://{address}:{port}/metrics", timeout=10) as answer:
                return answer.read().decode()
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            assert time.monotonic() < end, docker("logs", "--tail", "20", f"{NETWORK}-{name}")
            time.sleep(0.5)


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """Figures of a broker that was written to and read from, and of its ensemble."""
    folder = tmp_path_factory.mktemp("agents")
    (folder / "zoo.cfg").write_text(ENSEMBLE)
    (folder / "server.properties").write_text(BROKER)
    folder.chmod(0o755)
    docker("network", "create", NETWORK)
    try:
        started(
            *("zk", "zookeeper", folder, "/etc/zookeeper"),
            {
                "ZOOKEEPER_ID": "1",
                "ZOOKEEPER_DATA_DIR": "/tmp/data",
                "ZOOKEEPER_HEAP": "128m",
                "ZOOKEEPER_METRICS": "0.0.0.0:9410",
            },
            *("bash", "-c", "mkdir /tmp/data && exec zookeeper-server"),
        )
        started(
            *("kafka", "kafka", folder, "/etc/kafka"),
            {"KAFKA_HEAP": "256m", "KAFKA_METRICS": "0.0.0.0:9404"},
            "kafka-server",
        )
        started(
            *("spark", "spark", folder, "/etc/spark"),
            {"SPARK_DAEMON_MEMORY": "128m", "SPARK_METRICS": "0.0.0.0:9421"},
            "spark-master",
        )
        end = time.monotonic() + 90
        while "kafka_server_broker_state 3.0" not in figures("kafka", 9404):
            assert time.monotonic() < end, docker("logs", "--tail", "20", f"{NETWORK}-kafka")
            time.sleep(1)
        broker = "--bootstrap-server 127.0.0.1:9092 --topic t"
        docker(
            *("exec", f"{NETWORK}-kafka", "bash", "-c"),
            f"echo x | kafka-console-producer {broker} && "
            f"kafka-console-consumer {broker} --from-beginning --max-messages 1",
        )
        yield {job: figures(*at) for job, at in PORTS.items()}
    finally:
        names = [f"{NETWORK}-{name}" for name in ("kafka", "zk", "spark")]
        docker("rm", "--force", *names, check=False)
        docker("network", "rm", NETWORK, check=False)


def families(text):
    """Type and labels of every family in an answer."""
    labels = {}
    for name, found in re.findall(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? ", text, re.MULTILINE):
        labels.setdefault(name, set()).update(re.findall(r'(\w+)="', found))
    types = dict(re.findall(r"^# TYPE (\S+) (\S+)", text, re.MULTILINE))
    return {name: (kind, labels.get(name, set())) for name, kind in types.items()}


@pytest.mark.parametrize("job", ["kafka", "zookeeper", "spark"])
def test_an_agent_gives_every_series_of_its_job(job, said):
    given = families(said[job])
    declared = read_series()[job]
    assert declared.keys() - given.keys() - PASSING == set()
    for name in declared.keys() & given.keys():
        kind, labels = given[name]
        assert kind == declared[name]["type"], name
        if kind in ("gauge", "counter"):
            assert labels == set(declared[name].get("labels", ())), name


@pytest.mark.parametrize("job", ["kafka", "zookeeper"])
def test_an_agent_gives_nothing_that_nobody_knows(job, said):
    ours = {name for name in families(said[job]) if name.startswith(("kafka_", "zookeeper_"))}
    assert ours - read_series()[job].keys() == set()


def test_values_mean_what_they_say(said):
    broker = said["kafka"]
    assert "kafka_controller_active 1.0" in broker
    assert 'kafka_topic_records_total{topic="t"} 1.0' in broker
    assert 'kafka_log_dir_offline{log_dir="/tmp/disk1"} 0.0' in broker
    assert re.search(r'kafka_server_version\{version="3\.[\d.]+"\} 1\.0', broker)
    assert "zookeeper_leader 1.0" in said["zookeeper"]


def test_an_answer_is_complete(said):
    for text in said.values():
        assert "jmx_scrape_error 0.0" in text


@pytest.mark.parametrize("job", sorted(PORTS))
@pytest.mark.usefixtures("said")
def test_requests_that_never_end_hold_an_agent_for_seconds_only(job):
    name, port = PORTS[job]
    held = []
    try:
        for _ in range(24):
            # An agent that is held takes no further connection.
            with contextlib.suppress(OSError):
                held.append(socket.create_connection((address_of(name), port), timeout=1))
                held[-1].sendall(b"GET /metrics HTTP/1.1\r\nHost: agent\r\n")
        assert "jvm_threads_current" in figures(name, port, timeout=20)
    finally:
        for each in held:
            each.close()
