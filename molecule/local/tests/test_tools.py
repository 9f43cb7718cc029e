"""Every command-line tool of an operator works on a broker's host with the operator's rights."""

import re
import time
import uuid
from collections.abc import Iterator

import pytest
from testing.cluster import Cluster
from testing.streams import TOPIC

# Command of each tool, and a text in its output. {at}: bootstrap server, {way}: operator's file,
# {own}: a topic of this test with a hundred records, {segment}: a file of its log.
ANSWERS = {
    "topics": ("kafka-topics --bootstrap-server {at} --command-config {way} --list", TOPIC),
    "get-offsets": (
        "kafka-get-offsets --bootstrap-server {at} --command-config {way} --topic {own}",
        "{own}:0:100",
    ),
    "groups": (
        "kafka-consumer-groups --bootstrap-server {at} --command-config {way} --describe"
        " --group {own}",
        "{own}",
    ),
    "members of a group": (
        "kafka-consumer-groups --bootstrap-server {at} --command-config {way} --describe --members"
        " --all-groups",
        "",
    ),
    "reset of a group": (
        "kafka-consumer-groups --bootstrap-server {at} --command-config {way} --group {own}"
        " --topic {own} --reset-offsets --to-earliest --dry-run",
        "{own}",
    ),
    "configs": (
        "kafka-configs --bootstrap-server {at} --command-config {way} --describe --entity-type"
        " brokers --entity-name 1 --all",
        "log.dirs",
    ),
    "acls": (
        "kafka-acls --bootstrap-server {at} --command-config {way} --list --principal User:demo",
        TOPIC,
    ),
    "log-dirs": (
        "kafka-log-dirs --bootstrap-server {at} --command-config {way} --describe"
        " --topic-list {own}",
        "logDirs",
    ),
    "leader-election": (
        "kafka-leader-election --bootstrap-server {at} --admin.config {way} --election-type"
        " preferred --all-topic-partitions",
        "",
    ),
    "reassign-partitions": (
        "kafka-reassign-partitions --bootstrap-server {at} --command-config {way} --list",
        "No partition reassignments found",
    ),
    "transactions": (
        "kafka-transactions --bootstrap-server {at} --command-config {way} list",
        "TransactionalId",
    ),
    "producer-perf-test": (
        "kafka-producer-perf-test --topic {own} --num-records 100 --record-size 100 --throughput -1"
        " --producer-props bootstrap.servers={at} --producer.config {way}",
        "100 records sent",
    ),
    "consumer-perf-test": (
        "kafka-consumer-perf-test --bootstrap-server {at} --consumer.config {way} --topic {own}"
        " --messages 100 --timeout 20000",
        "MB.sec",
    ),
    "e2e-latency": ("kafka-e2e-latency {at} {own} 20 all 100 {way}", "Avg latency"),
    "verifiable-producer": (
        "kafka-verifiable-producer --bootstrap-server {at} --producer.config {way} --topic {own}"
        " --max-messages 10",
        '"acked":10',
    ),
    "verifiable-consumer": (
        "kafka-verifiable-consumer --bootstrap-server {at} --consumer.config {way} --topic {own}"
        " --group-id {own}-verifiable --reset-policy earliest --max-messages 10",
        "records_consumed",
    ),
    "dump-log": ("kafka-dump-log --print-data-log --files {segment}", "baseOffset: 0"),
    # The value of one znode: the shell prints messages of its connection into the output of `ls`.
    "zookeeper-shell": (
        "zookeeper-shell {ensemble} -zk-tls-config-file /etc/kafka/ensemble.properties"
        " get /cluster/id",
        '{{"version":"1","id":"',
    ),
    "jmx": ("kafka-jmx ^kafka_.*under", "kafka_"),
    "state-change-log-merger": (
        'sh -c \'echo "[2026-01-01 09:00:00,000] TRACE partition [{own},0] moved" > /tmp/{own};'
        " kafka-state-change-log-merger --logs /tmp/{own}; rm /tmp/{own}'",
        "[{own},0] moved",
    ),
}


@pytest.fixture(scope="module")
def places(platform: Cluster) -> Iterator[dict[str, str]]:
    """Values of the placeholders in commands; the topic is deleted at the end."""
    platform.wait_until_whole()
    address, config = platform.operator_access(1)
    own = f"tools-{uuid.uuid4().hex[:8]}"
    topics = f"kafka-topics --bootstrap-server {address} --command-config {config} --topic {own}"
    sent = (
        f"kafka-producer-perf-test --topic {own} --num-records 100 --record-size 10 --throughput -1"
        f" --producer-props bootstrap.servers={address} --producer.config {config}"
    )
    read = (
        f"kafka-console-consumer --bootstrap-server {address} --consumer.config {config}"
        f" --topic {own} --group {own} --from-beginning --max-messages 100"
    )
    # Only on broker 1, where `dump-log` reads the log.
    platform.tool(f"{topics} --create --replica-assignment 1")
    try:
        platform.tool(sent)
        platform.tool(read)
        log_dirs = platform.tool("sed -n s/^log.dirs=//p /etc/kafka/server.properties")
        files = " ".join(f"{each}/{own}-0/*.log" for each in log_dirs.strip().split(","))
        segment = platform.tool(f"sh -c 'ls {files} 2>/dev/null || true'").split()[0]
        ensemble = platform.topology.zookeepers[1].endpoint
        yield {"at": address, "way": config, "own": own, "segment": segment, "ensemble": ensemble}
    finally:
        platform.tool(f"{topics} --delete")


@pytest.mark.parametrize("tool", ANSWERS)
def test_a_tool_works(tool: str, places: dict[str, str], platform: Cluster, record_property):
    words, wanted = (text.format(**places) for text in ANSWERS[tool])
    began = time.monotonic()

    answer = platform.tool(words)

    record_property("seconds", round(time.monotonic() - began, 1))
    assert wanted in answer


def test_a_range_of_offsets_is_replayed(places: dict[str, str], platform: Cluster, make, request):
    own, target = places["own"], f"{places['own']}-again"
    tool = f"--bootstrap-server {places['at']} --command-config {places['way']} --topic {target}"
    platform.tool(f"kafka-topics {tool} --create --replica-assignment 1")
    request.addfinalizer(lambda: platform.tool(f"kafka-topics {tool} --delete"))

    replayed = make("replay", SOURCE=own, TARGET=target, FROM="40", UNTIL="60")

    assert replayed.returncode == 0, replayed.stdout + replayed.stderr
    assert f"{target}:0:20" in platform.tool(f"kafka-get-offsets {tool}")


def test_replicas_have_the_same_batches(places: dict[str, str], platform: Cluster, make):
    compared = make("replicas", SECONDS="20")

    assert compared.returncode == 0, compared.stdout + compared.stderr
    equal = [int(count) for count in re.findall(r"(\d+) replicas are equal to", compared.stdout)]
    assert len(equal) == len(platform.topology.brokers)
    assert min(equal) > 0


def test_tools_start_from_the_class_archive(platform: Cluster):
    """By default a JVM ignores an unusable archive and only starts slower."""
    machine = platform.machine(platform.topology.brokers[1])
    name = platform.broker(1).name

    machine.check_output(
        f"docker exec --env KAFKA_TOOL_JVM_OPTIONS=-Xshare:on {name} kafka-topics --version"
    )
