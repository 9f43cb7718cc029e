"""Outputs of a pipeline share one read of its topic."""

from collections.abc import Callable

from testing.cluster import Cluster
from testing.waiting import NotYet, wait_for

SENT = 20_000


def settled(read: Callable[[], int], least: int = 0) -> int:
    """Return the value of ``read`` when it is at least ``least`` and no longer changes.

    The history server scans for news every ten seconds.
    """
    seen: list[int] = []

    def same() -> int:
        seen.append(read())
        if len(seen) < 2 or seen[-1] != seen[-2] or seen[-1] < least:
            raise NotYet(f"{seen[-1]}; required: at least {least}, and unchanged")
        return seen[-1]

    return wait_for("the history no longer changes", same, seconds=120, every=12)


def test_a_record_is_read_once_for_all_outputs(cluster: Cluster, ask):
    before = settled(lambda: max((each["stageId"] for each in ask("stages")), default=-1), -1)

    def read() -> int:
        """Return the number of records that executors have read from Kafka since."""
        since = [each for each in ask("stages") if each["stageId"] > before]
        # Reads from Spark's cache have a size in bytes, reads from Kafka have not.
        return sum(each["inputRecords"] for each in since if not each["inputBytes"])

    with cluster.stream(count=SENT, rate=1000) as stream:
        stream.finish(seconds=60)
        # Every output has written all payments.
        stream.reconcile()

    # Four separate reads would be 80,000 records.
    assert settled(read, SENT) < 1.2 * SENT
