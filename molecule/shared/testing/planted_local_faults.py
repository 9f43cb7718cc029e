"""Faults of services on one machine, with the alert and the problem that report each."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta

from kafka import KafkaProducer

from testing import access, faults, pages, playbooks
from testing.cluster import Cluster
from testing.planted_faults import DELAYED, Fault, Injection
from testing.settings import Settings
from testing.streams import TOPIC
from testing.topology import Instance
from testing.waiting import NotYet, wait_for

# Seconds until a ticket that waits five minutes.
TICKET_S = 420
STATUS_AND_ALERT, STATUS_AND_PAGE = ("status", "alert"), ("status", "page")
STATUS = ("status",)
CONFIG = "/etc/kafka-metal"
RESTART = "RESTART"


def instance(cluster: Cluster, name: str) -> Instance:
    """Return an instance by its name, such as prometheus1."""
    return Instance(f"{cluster.topology.cluster}-{name}", "localhost")


def stopped(name: str) -> Injection:
    return lambda cluster: faults.stopped(cluster, instance(cluster, name))


def frozen(name: str) -> Injection:
    return lambda cluster: faults.frozen(cluster, instance(cluster, name))


def dead(name: str) -> Injection:
    return lambda cluster: faults.dead(cluster, instance(cluster, name))


def removed(name: str) -> Injection:
    """Stop a container and give it another name, so that it is missing."""

    @contextmanager
    def inject(cluster: Cluster) -> Iterator[None]:
        container = instance(cluster, name).container
        shell = cluster.shell("localhost")
        shell.check_output("docker stop --time 60 %s", container)
        # Its label names the cluster; a container without a service is not the cluster's.
        shell.check_output("docker rename %s removed-by-a-drill", container)
        try:
            yield
        finally:
            shell.check_output("docker rename removed-by-a-drill %s", container)
            shell.check_output("docker start %s", container)

    return inject


def starved(name: str, limit: str) -> Injection:
    """Let a container exceed its limit of memory at each start."""

    @contextmanager
    def inject(cluster: Cluster) -> Iterator[None]:
        container, shell = instance(cluster, name).container, cluster.shell("localhost")
        before = shell.check_output(
            "docker inspect --format {{.HostConfig.Memory}} %s", container
        ).strip()
        set_limit = "docker update --memory %s --memory-swap %s %s"
        # The kernel refuses a limit below what a running container uses.
        shell.check_output("docker stop --time 60 %s", container)
        shell.check_output(set_limit, limit, limit, container)
        shell.check_output("docker start %s", container)
        try:
            yield
        finally:
            shell.check_output(set_limit, before, before, container)
            shell.check_output("docker restart %s", container)

    return inject


def changed_file(name: str, file: str, text: str, reload: str = "") -> Injection:
    """Let a file of a service have another text, as after an edit by hand.

    ``reload``: signal that the service gets after each change; RESTART restarts its container.
    """

    @contextmanager
    def inject(cluster: Cluster) -> Iterator[None]:
        container, shell = instance(cluster, name).container, cluster.shell("localhost")
        path = f"{CONFIG}/{container}/{file}"

        def notify() -> None:
            if reload == RESTART:
                shell.check_output("docker restart --time 60 %s", container)
            elif reload:
                shell.check_output("docker kill --signal %s %s", reload, container)

        shell.check_output("cp --preserve %s %s.before", path, path)
        shell.check_output("printf %%s %s > %s", text, path)
        try:
            notify()
            yield
        finally:
            # In place: a container may have the file itself mounted.
            shell.check_output("cat %s.before > %s && rm %s.before", path, path, path)
            notify()

    return inject


@contextmanager
def silenced(cluster: Cluster) -> Iterator[None]:
    """Silence an alert in Alertmanager, as its page does."""
    url = f"http://{pages.endpoint(cluster.topology.cluster, 'alertmanager')}/api/v2/silence"
    soon = datetime.now(UTC) + timedelta(minutes=30)
    created = pages.send_monitoring(
        f"{url}s",
        {
            "matchers": [{"name": "alertname", "value": "DiskDying", "isRegex": False}],
            "startsAt": datetime.now(UTC).isoformat(),
            "endsAt": soon.isoformat(),
            "createdBy": "drill",
            "comment": "the disk has been ordered",
        },
    )
    try:
        yield
    finally:
        pages.send_monitoring(f"{url}/{created['silenceID']}", method="DELETE")


@contextmanager
def emptied_log_dir(cluster: Cluster) -> Iterator[None]:
    """Delete all files of a log dir while its broker is stopped."""
    broker = cluster.topology.brokers[3]
    shell = cluster.machine(broker)
    shell.check_output("docker stop --time 60 %s", broker.container)
    shell.check_output("find %s -mindepth 1 -delete", broker.log_dirs[1])
    shell.check_output("docker start %s", broker.container)
    yield


@contextmanager
def removed_replica(cluster: Cluster) -> Iterator[None]:
    """Delete the directory of a replica under its broker; a restart copies it."""
    broker = cluster.topology.brokers[2]
    shell = cluster.machine(broker)
    with faults.topic(cluster, "drill-removed", [1, 2]):
        found = f"find {' '.join(broker.log_dirs)} -maxdepth 1 -name drill-removed-0"
        path = wait_for("the broker has the replica", lambda: _printed(cluster, found), 30)
        shell.check_output("rm --recursive %s", path)
        try:
            yield
        finally:
            shell.check_output("docker restart --time 60 %s", broker.container)


def _printed(cluster: Cluster, command: str) -> str:
    """Return what a command prints on the machine; NotYet if that is nothing."""
    text = cluster.shell("localhost").check_output(command).strip()
    if not text:
        raise NotYet(f"{command} prints nothing")
    return text


@contextmanager
def interrupted(cluster: Cluster) -> Iterator[None]:
    """Kill a restart of all brokers after it has begun, and complete it at the end."""
    restart = playbooks.start("restart")

    def locked() -> None:
        if not cluster.shell("localhost").file(_lock(cluster)).exists:
            raise NotYet("no lock")

    try:
        wait_for("the restart has its lock", locked, seconds=120)
        # With the lock alone nothing is interrupted yet: the restart has to reach its work.
        time.sleep(5)
    finally:
        os.killpg(restart.pid, signal.SIGKILL)
    try:
        yield
    finally:
        playbooks.run("up", seconds=900)


def _lock(cluster: Cluster) -> str:
    return f"/var/lib/kafka-metal/locks/{cluster.topology.cluster}.json"


@contextmanager
def invalid_records(cluster: Cluster) -> Iterator[None]:
    """Send records that are not JSON to a pipeline."""
    with closing(
        KafkaProducer(bootstrap_servers=cluster.topology.bootstrap, **access.kafka_python())
    ) as producer:
        for number in range(200):
            producer.send(TOPIC, value=b"not JSON %d" % number)
        producer.flush(timeout=30)
    yield


@contextmanager
def deleted_from_archive(cluster: Cluster) -> Iterator[None]:
    """Delete a finished file of an archive; its driver compares them when it starts."""
    shell, folder = cluster.shell("localhost"), f"{cluster.topology.shared_dir}/archive/payments"
    file = shell.check_output("find %s -name '*.parquet' | sort | head -1", folder).strip()
    shell.check_output("mv %s %s.kept", file, file)
    shell.check_output("docker restart %s", cluster.topology.drivers["payments"].container)
    try:
        yield
    finally:
        shell.check_output("mv %s.kept %s", file, file)


@contextmanager
def read_only_archive(cluster: Cluster) -> Iterator[None]:
    """Take the right to write from an archive, and send it records."""
    shell, folder = cluster.shell("localhost"), f"{cluster.topology.shared_dir}/archive/payments"
    mode = shell.check_output("stat --format %%a %s", folder).strip()
    # Files are staged and finished in directories below it.
    change = f"find {folder} -type d -exec chmod %s {{}} +"
    shell.check_output(change, "500")
    try:
        with cluster.stream(count=5_000, rate=200):
            yield
    finally:
        shell.check_output(change, mode)


@contextmanager
def changed_topic(cluster: Cluster) -> Iterator[None]:
    """Set a declared key of a topic by hand."""
    settings, key = Settings(cluster.topology.bootstrap), "min.insync.replicas"
    before = settings.of_topic(TOPIC, key)
    settings.change_topic(TOPIC, {key: "1"})
    try:
        yield
    finally:
        settings.change_topic(TOPIC, {key: before})


@contextmanager
def limited_user(cluster: Cluster) -> Iterator[None]:
    """Set a quota of a pipeline's user by hand, which is too high to delay anything."""
    at, config = cluster.operator_access(1)
    change = (
        f"kafka-configs --bootstrap-server {at} --command-config {config} --alter "
        "--entity-type users --entity-name pipeline-payments"
    )
    cluster.tool(f"{change} --add-config producer_byte_rate=1000000000")
    try:
        yield
    finally:
        cluster.tool(f"{change} --delete-config producer_byte_rate")


BROKER_DOWN = {"kind": "ServiceDown", "alert": "BrokerDown", "within": DELAYED}
NOT_READ = {"kind": "MetricsUnreadable", "alert": "TargetDown", "within": DELAYED, "page": False}

FAULTS = {
    "a broker's container is missing": Fault(removed("kafka1"), where="kafka1", **BROKER_DOWN),
    "a broker was stopped by hand": Fault(stopped("kafka2"), where="kafka2", **BROKER_DOWN),
    "a broker's container is paused": Fault(frozen("kafka3"), where="kafka3", **BROKER_DOWN),
    "a broker's key is unreadable": Fault(
        changed_file("kafka2", "broker.pem", "", RESTART), where="kafka2", **BROKER_DOWN
    ),
    "a broker needs more memory than its limit": Fault(
        starved("kafka3", "200m"), where="kafka3", **BROKER_DOWN
    ),
    "a log dir was emptied while its broker was stopped": Fault(
        emptied_log_dir, "LogDirEmptied", DELAYED, page=False, over=660,
    ),
    "the directory of a replica was removed": Fault(
        removed_replica, "ReplicasRemoved", DELAYED, page=False,
        kind="ReplicasRemoved", where="kafka2",
    ),
    "Prometheus is stopped": Fault(
        stopped("prometheus1"), "", DELAYED, kind="ServiceDown", screens=STATUS,
    ),
    "Alertmanager is stopped": Fault(
        stopped("alertmanager1"), where="alertmanager@localhost", **NOT_READ
    ),
    "the probe is stopped": Fault(
        stopped("probe1"), "ProbeDown", DELAYED, page=False,
        kind="ServiceDown", where="probe@localhost",
    ),
    "the exporter of the cluster is stopped": Fault(
        stopped("exporter1"), where="exporter@localhost", screens=STATUS_AND_ALERT, **NOT_READ
    ),
    "the node exporter is stopped": Fault(
        stopped("node-exporter1"), where="localhost", **NOT_READ
    ),
    "Prometheus has no rules": Fault(
        changed_file("prometheus1", "rules.yml", "groups: []", reload="HUP"), "", DELAYED,
        kind="AlertsUnread", screens=STATUS_AND_PAGE,
    ),
    "Prometheus has lost targets": Fault(
        changed_file("prometheus1", "targets-kafka.json", "[]"), "", DELAYED,
        kind="MetricsUnreadable", where="kafka2", screens=STATUS_AND_PAGE,
    ),
    "an alert is silenced": Fault(
        silenced, "", DELAYED, kind="AlertsSilenced", screens=STATUS,
    ),
    "the Spark master that leads is stopped": Fault(
        stopped("spark-master1"), "SparkMasterDown", TICKET_S, page=False,
        kind="ServiceDown", where="spark-master1",
    ),
    "a Spark worker is stopped": Fault(
        stopped("spark-worker1"), "SparkWorkersMissing", TICKET_S, page=False,
        kind="ServiceDown", where="spark-worker1",
    ),
    "Spark's history is stopped": Fault(
        stopped("spark-history1"), where="spark-history1", **NOT_READ
    ),
    "a pipeline's driver is dead": Fault(
        dead("pipeline-payments"), "PipelineUnreachable", DELAYED + 60,
        kind="PipelineDown", where="pipeline-payments",
    ),
    "a pipeline's declaration is unreadable": Fault(
        changed_file("pipeline-payments", "pipeline.yml", "{", RESTART),
        "PipelineUnreachable", DELAYED + 60, kind="PipelineDown", where="pipeline-payments",
    ),
    "most records of a pipeline are invalid": Fault(
        invalid_records, "PipelineMostlyInvalid", DELAYED,
        kind="PipelineInvalid", where="pipeline-payments", over=400,
    ),
    "a file of an archive was deleted": Fault(
        deleted_from_archive, "ArchiveIncomplete", DELAYED + 60, page=False,
        kind="ArchiveIncomplete", where="pipeline-payments",
    ),
    "an archive cannot be written": Fault(
        read_only_archive, "PipelineFailing", DELAYED,
        kind="PipelineFailing", where="pipeline-payments",
    ),
    "a configuration file was edited by hand": Fault(
        changed_file("kafka1", "server.properties", "# edited"),
        "", DELAYED, kind="ConfigurationChanged", where="kafka1", screens=STATUS,
    ),
    "a declared topic was changed by hand": Fault(
        changed_topic, "ContentChanged", DELAYED + 60, page=False, kind="ContentChanged",
    ),
    "a quota of a pipeline's user was set by hand": Fault(
        limited_user, "", DELAYED, kind="ContentChanged", where="pipeline-payments",
        screens=STATUS,
    ),
    "a restart of all brokers was interrupted": Fault(
        interrupted, "", DELAYED, kind="OperationInterrupted", screens=STATUS,
    ),
}  # fmt: skip
