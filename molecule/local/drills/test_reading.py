"""Outputs of a pipeline read its topic together."""

from collections.abc import Callable

from testing.cluster import Cluster
from testing.waiting import NotYet, wait_for

SENT = 20_000


def settled(read: Callable[[], int], least: int = 0) -> int:
    """What is read, once it is ``least`` and changes no more.

    The history looks for what is new every ten seconds.
    """
    seen: list[int] = []

    def same() -> int:
        seen.append(read())
        if len(seen) < 2 or seen[-1] != seen[-2] or seen[-1] < least:
            raise NotYet(f"{seen[-1]}, at least {least}, and the same for a while")
        return seen[-1]

    return wait_for("the history has nothing new to tell", same, seconds=120, every=12)


def test_a_record_is_read_once_for_all_outputs(cluster: Cluster, ask):
    before = settled(lambda: max((each["stageId"] for each in ask("stages")), default=-1), -1)

    def read() -> int:
        """Records that executors have asked Kafka for since."""
        since = [each for each in ask("stages") if each["stageId"] > before]
        # What they take from memory, where it was kept for the others, has a size for Spark.
        return sum(each["inputRecords"] for each in since if not each["inputBytes"])

    with cluster.stream(count=SENT, rate=1000) as stream:
        stream.finish(seconds=60)
        # Every output has written all of it.
        stream.reconcile()

    # Four outputs, each apart, read 80,000.
    assert settled(read, SENT) < 1.2 * SENT
