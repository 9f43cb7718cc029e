"""Retention deletes unread records of a pipeline: it stops, and only skips them if declared."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

from kafka import TopicPartition
from pyarrow import dataset
from testing import access, pipelines, playbooks, topic_records
from testing.cluster import Cluster
from testing.containers import Container
from testing.faults import stopped
from testing.topology import Instance
from testing.waiting import NotYet, wait_for

NAME = "counted"
READ, UNREAD, DELETED = range(1_000), range(1_000, 2_000), range(1_000, 1_500)


def declared(cluster: Cluster, on_data_loss: str) -> dict[str, Any]:
    """Return the content of the scenario with a pipeline that archives numbers."""
    content = deepcopy(cluster.topology.content)
    content["kafka_content_topics"][NAME] = {"partitions": 1}
    content["pipeline_pipelines"][NAME] = {
        "source": {
            "topic": NAME,
            "schema": "n BIGINT NOT NULL",
            "starting": "earliest",
            "on_data_loss": on_data_loss,
        },
        "outputs": {"kept": {"path": NAME}},
        "invalid": "payments_invalid",
        "trigger": "1 second",
        "resources": {"cores": 1, "executor_memory": "768m", "driver_memory": "768m"},
    }
    return content


def send(cluster: Cluster, numbers: range) -> None:
    values = (json.dumps({"n": number}) for number in numbers)
    topic_records.send(cluster.topology.bootstrap, NAME, values)


def delete(cluster: Cluster, before: int) -> None:
    """Delete the records before an offset, as retention does with whole segments."""
    with access.admin(cluster.topology.bootstrap) as admin:
        admin.delete_records({TopicPartition(NAME, 0): before})


def archived(cluster: Cluster) -> list[int]:
    """Return the sorted numbers in the archive, with duplicates."""
    folder = Path(cluster.topology.shared_dir) / "archive" / NAME
    if not folder.exists():
        return []
    return sorted(dataset.dataset(str(folder)).to_table(["n"])["n"].to_pylist())


def wait_for_archive(cluster: Cluster, numbers: list[int]) -> None:
    def there() -> None:
        found = archived(cluster)
        assert len(found) == len(set(found)), "a record is archived twice"
        if found != numbers:
            raise NotYet(f"{len(found)} of {len(numbers)} records")

    wait_for("the archive has the expected records", there, seconds=180)


@contextmanager
def pipeline(cluster: Cluster) -> Iterator[Instance]:
    """Create the pipeline and yield its driver; delete it at the end."""
    name = f"{cluster.topology.cluster}-pipeline-{NAME}"
    instance = Instance(name, cluster.topology.drivers["payments"].machine)
    try:
        # `spark` as well: workers have the credentials of the pipeline's tasks.
        for playbook in ("credentials", "topics", "spark", "drivers"):
            playbooks.run(playbook, extra=declared(cluster, on_data_loss="fail"))
        yield instance
    finally:
        pipelines.remove(cluster, NAME, NAME)


def refusals(driver: Container) -> int:
    """Return how often an output has failed because of deleted records in the last ten minutes."""
    output = driver.lines("output .* failed: records were deleted before they were read", 600)
    return len(output.splitlines())


def wait_until_refused_again(driver: Container) -> None:
    """Wait until an output has failed because of deleted records twice: the driver restarts it."""
    for number in ("first", "second"):
        before = refusals(driver)

        def refused(before: int = before) -> None:
            if refusals(driver) == before:
                raise NotYet("it still runs")

        wait_for(f"the output has failed for the {number} time", refused, seconds=180)


def test_the_driver_fails_until_on_data_loss_is_continue_and_archives_the_rest_once(
    cluster: Cluster,
):
    with pipeline(cluster) as instance:
        send(cluster, READ)
        wait_for_archive(cluster, [*READ])
        with stopped(cluster, instance):
            send(cluster, UNREAD)
            delete(cluster, DELETED.stop)
        wait_until_refused_again(cluster.container(instance))
        assert archived(cluster) == [*READ]

        playbooks.run("drivers", extra=declared(cluster, on_data_loss="continue"))
        wait_for_archive(cluster, [*READ, *range(DELETED.stop, UNREAD.stop)])
