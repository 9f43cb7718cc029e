"""Daily verbs of an operator."""

import json
import re

import pytest
from testing import topic_records
from testing.cluster import Cluster
from testing.faults import topic
from testing.streams import TOPIC
from testing.waiting import NotYet, wait_for


def test_status_displays_the_platform_on_one_screen(cluster: Cluster, make):
    def well() -> str:
        # Alerts about faults of earlier tests fire up to a minute longer.
        status = make("status")
        if status.returncode:
            raise NotYet(status.stdout)
        return status.stdout

    screen = wait_for("status has no problems", well, seconds=120)
    for name in ("zk1", "kafka3", "spark-master1", "spark-worker2", "pipeline-payments"):
        assert name in screen
    assert "controller" in screen
    assert "the inventory does not have" not in screen
    assert len(screen.splitlines()) <= 45


def test_status_names_a_broker_that_is_down(cluster: Cluster, make):
    victim = cluster.broker(3)
    machine = cluster.machine(cluster.topology.brokers[3])
    machine.check_output("docker stop %s", victim.name)
    try:
        status = make("status")
    finally:
        machine.check_output("docker start %s", victim.name)
        cluster.wait_until_whole()

    assert status.returncode != 0
    # The title of the cluster's page has a count of problems, too.
    _, problems = re.split(r"^\d+ problems?:$", _plain(status.stdout), flags=re.MULTILINE)
    assert "kafka3" in problems


def _plain(output: str) -> str:
    """Return text without the colours that molecule sets."""
    return re.sub(r"\x1b\[[\d;]*m", "", output)


def test_a_malformed_file_is_refused_with_line_and_column(cluster: Cluster, make, tmp_path):
    file = tmp_path / "broken.jsonl"
    file.write_text('{"a": 1}\n{"a": }\n')
    make("status")
    before = cluster.brokers.end(TOPIC)

    refused = make("produce", FILE=str(file), TOPIC=TOPIC)

    assert refused.returncode != 0
    assert "line 2" in refused.stderr
    assert "column 7" in refused.stderr
    assert cluster.brokers.end(TOPIC) == before


def test_rows_of_a_csv_file_are_records(cluster: Cluster, make, tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text('id,text\n1,"a, b"\n2,\n')
    with topic(cluster, "rows-of-a-file", [1, 2, 3]):
        sent = make("produce", FILE=str(file), TOPIC="rows-of-a-file", KEY="id")
        records = list(topic_records.records(cluster.topology.bootstrap, "rows-of-a-file"))

    assert sent.returncode == 0, sent.stderr
    assert {each.key(): json.loads(each.value())["text"] for each in records} == {
        b"1": "a, b",
        # An empty field is no value.
        b"2": None,
    }


def test_another_run_restarts_nothing(cluster: Cluster, make):
    before = {each: cluster.container(each).started() for each in cluster.topology.instances}

    done = make("up")

    assert done.returncode == 0, done.stdout[-3000:]
    assert {each: cluster.container(each).started() for each in before} == before


def test_destroy_without_the_name_changes_nothing(cluster: Cluster, make):
    refused = make("destroy", CONFIRM="another")

    assert refused.returncode != 0
    assert "nothing was touched" in refused.stdout + refused.stderr
    cluster.wait_until_whole(seconds=5)


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("kafka_broker_hepa", "4g", "kafka_broker_heap"),
        ("kafka_content_topics", {"Bad Topic": {}}, "Bad Topic"),
    ],
)
def test_invalid_input_is_refused_before_anything_is_changed(
    cluster: Cluster, make, tmp_path, variable, value, message
):
    started = [cluster.container(i).started() for i in cluster.topology.instances]
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps({variable: value}))

    refused = make("up", args=f"-e @{bad}")

    assert refused.returncode != 0
    output = refused.stdout + refused.stderr
    assert "Nothing was touched" in output
    assert message in output
    assert [cluster.container(i).started() for i in cluster.topology.instances] == started


def test_a_value_is_never_executed(cluster: Cluster, make, tmp_path):
    canary = tmp_path / "canary"
    text = f"{{{{ lookup('pipe', 'touch {canary}') }}}}$(shell touch {canary})"
    make("groups", G=text, TO="earliest", DRY="1")
    make("produce", FILE=text, TOPIC=text)

    assert not canary.exists()


def test_destroy_lists_the_objects_to_delete(cluster: Cluster, make):
    listed = make("destroy", DRY="1")

    assert listed.returncode == 0, listed.stdout[-3000:]
    for instance in cluster.topology.instances:
        assert f"container {instance.container}" in listed.stdout
    assert "/kafka1/disk1" in listed.stdout
    assert "nothing was deleted; to delete, set CONFIRM=" in listed.stdout
    assert "changed: [" not in listed.stdout
    cluster.wait_until_whole(seconds=5)
