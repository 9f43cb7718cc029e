"""Checkpoint files are missing or empty when the driver starts again."""

from collections.abc import Callable

import pytest
from testing.checkpoints import Checkpoints
from testing.cluster import HEAL_SECONDS, Cluster
from testing.faults import dead, stopped


def lose_newest(cluster: Cluster, ended: Callable) -> dict[str, int]:
    """Stop the driver, delete the newest offsets of each output, start it; return lost batches."""
    kept = Checkpoints(cluster)
    with ended(cluster, cluster.topology.drivers["payments"]):
        lost = {output: kept.lose_newest(output, "offsets") for output in kept.outputs()}
    return lost


# After a crash the batch was planned but not finished; after a stop it was mostly finished.
@pytest.mark.parametrize("ended", [dead, stopped])
def test_every_payment_is_archived_once_and_no_result_is_missing(cluster: Cluster, ended: Callable):
    kept = Checkpoints(cluster)
    with cluster.stream(count=20_000, rate=200) as stream:
        lost = lose_newest(cluster, ended)
        assert stream.runs, "the stream was over before the files were lost"
        for output, batch in lost.items():
            kept.wait_for_batch(output, batch + 2, HEAL_SECONDS)
        ledger = stream.finish(seconds=240)
        # Fails unless the archive has each accepted payment exactly once.
        stream.reconcile()

    assert ledger["acknowledged"] == 20_000


def test_a_state_with_empty_newest_files_is_rebuilt_from_the_batch_before(
    cluster: Cluster,
):
    kept = Checkpoints(cluster)
    with cluster.stream(count=20_000, rate=200) as stream:
        with dead(cluster, cluster.topology.drivers["payments"]):
            batches = {output: kept.newest(output, "commits") for output in kept.outputs()}
            assert kept.empty_newest_state("metrics")
        assert stream.runs, "the stream was over before the files were emptied"
        for output, batch in batches.items():
            kept.wait_for_batch(output, batch + 2, HEAL_SECONDS)
        ledger = stream.finish(seconds=240)
        stream.reconcile()

    assert ledger["acknowledged"] == 20_000
