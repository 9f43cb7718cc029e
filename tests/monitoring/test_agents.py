"""The metrics of a broker, a ZooKeeper server and a Spark master match the catalogue."""

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
# Exported only during log recovery, or after the loss of a log dir's data.
TEMPORARY = {
    "kafka_log_remaining_to_recover",
    "kafka_log_dir_emptied_time_seconds",
    "kafka_log_dir_removed_replicas",
}

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


def docker(*arguments, check=True, seconds=120):
    return subprocess.run(
        ["docker", *arguments], check=check, capture_output=True, text=True, timeout=seconds
    ).stdout.strip()


def start(name, image, folder, target, environment, *command):
    options = [f"--env={key}={value}" for key, value in environment.items()]
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


def read_metrics(name, port, timeout=90):
    """Return the metrics page of an agent; wait up to ``timeout`` seconds until it responds."""
    address = address_of(name)
    end = time.monotonic() + timeout
    while True:
        try:
            with urllib.request.urlopen(f"http://{address}:{port}/metrics", timeout=10) as response:
                return response.read().decode()
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            assert time.monotonic() < end, docker("logs", "--tail", "20", f"{NETWORK}-{name}")
            time.sleep(0.5)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Metrics pages by job, after a record was produced and consumed."""
    folder = tmp_path_factory.mktemp("agents")
    (folder / "zoo.cfg").write_text(ENSEMBLE)
    (folder / "server.properties").write_text(BROKER)
    folder.chmod(0o755)
    docker("network", "create", NETWORK)
    try:
        start(
            *("zk", "zookeeper", folder, "/etc/zookeeper"),
            {
                "ZOOKEEPER_ID": "1",
                "ZOOKEEPER_DATA_DIR": "/tmp/data",
                "ZOOKEEPER_HEAP": "128m",
                "ZOOKEEPER_METRICS": "0.0.0.0:9410",
            },
            *("bash", "-c", "mkdir /tmp/data && exec zookeeper-server"),
        )
        start(
            *("kafka", "kafka", folder, "/etc/kafka"),
            {"KAFKA_HEAP": "256m", "KAFKA_METRICS": "0.0.0.0:9404"},
            "kafka-server",
        )
        start(
            *("spark", "spark", folder, "/etc/spark"),
            {"SPARK_DAEMON_MEMORY": "128m", "SPARK_METRICS": "0.0.0.0:9421"},
            "spark-master",
        )
        end = time.monotonic() + 90
        while "kafka_server_broker_state 3.0" not in read_metrics("kafka", 9404):
            assert time.monotonic() < end, docker("logs", "--tail", "20", f"{NETWORK}-kafka")
            time.sleep(1)
        broker = "--bootstrap-server 127.0.0.1:9092 --topic t"
        docker(
            *("exec", f"{NETWORK}-kafka", "bash", "-c"),
            f"echo x | kafka-console-producer {broker} && "
            f"kafka-console-consumer {broker} --from-beginning --max-messages 1",
        )
        yield {job: read_metrics(*at) for job, at in PORTS.items()}
    finally:
        names = [f"{NETWORK}-{name}" for name in ("kafka", "zk", "spark")]
        docker("rm", "--force", *names, check=False)
        docker("network", "rm", NETWORK, check=False)


def families(text):
    """Return type and labels by metric family of a metrics page."""
    labels = {}
    for name, found in re.findall(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? ", text, re.MULTILINE):
        labels.setdefault(name, set()).update(re.findall(r'(\w+)="', found))
    types = dict(re.findall(r"^# TYPE (\S+) (\S+)", text, re.MULTILINE))
    return {name: (kind, labels.get(name, set())) for name, kind in types.items()}


@pytest.mark.parametrize("job", ["kafka", "zookeeper", "spark"])
def test_an_agent_exports_every_metric_of_its_job(job, pages):
    exported = families(pages[job])
    declared = read_series()[job]
    assert declared.keys() - exported.keys() - TEMPORARY == set()
    for name in declared.keys() & exported.keys():
        kind, labels = exported[name]
        assert kind == declared[name]["type"], name
        if kind in ("gauge", "counter"):
            assert labels == set(declared[name].get("labels", ())), name


@pytest.mark.parametrize("job", ["kafka", "zookeeper"])
def test_an_agent_exports_no_metric_outside_the_catalogue(job, pages):
    ours = {name for name in families(pages[job]) if name.startswith(("kafka_", "zookeeper_"))}
    assert ours - read_series()[job].keys() == set()


def test_values_match_the_state_of_the_servers(pages):
    broker = pages["kafka"]
    assert "kafka_controller_active 1.0" in broker
    assert 'kafka_topic_records_total{topic="t"} 1.0' in broker
    assert 'kafka_log_dir_offline{log_dir="/tmp/disk1"} 0.0' in broker
    assert re.search(r'kafka_server_version\{version="3\.[\d.]+"\} 1\.0', broker)
    assert "zookeeper_leader 1.0" in pages["zookeeper"]


def test_a_metrics_page_is_complete(pages):
    for text in pages.values():
        assert "jmx_scrape_error 0.0" in text


@pytest.mark.parametrize("job", sorted(PORTS))
@pytest.mark.usefixtures("pages")
def test_incomplete_requests_block_an_agent_only_for_seconds(job):
    name, port = PORTS[job]
    held = []
    try:
        for _ in range(24):
            # A blocked agent accepts no further connection.
            with contextlib.suppress(OSError):
                held.append(socket.create_connection((address_of(name), port), timeout=1))
                held[-1].sendall(b"GET /metrics HTTP/1.1\r\nHost: agent\r\n")
        assert "jvm_threads_current" in read_metrics(name, port, timeout=20)
    finally:
        for each in held:
            each.close()
