"""Two executors are killed one after the other during a stream."""

from testing.cluster import Cluster
from testing.containers import Container
from testing.waiting import NotYet, wait_for

EXECUTOR = "org.apache.spark.executor.CoarseGrainedExecutorBackend"


def executors(cluster: Cluster) -> dict[int, Container]:
    """Return the worker's container of each executor by the executor's PID on the machine."""
    workers = map(cluster.container, cluster.topology.spark_workers.values())
    return {pid: worker for worker in workers for pid in worker.processes(EXECUTOR)}


def kill_one(cluster: Cluster, spared: set[int]) -> int:
    """Kill an executor that is not in ``spared``; return its PID."""
    victim, worker = next(e for e in executors(cluster).items() if e[0] not in spared)
    worker.kill_process(victim)
    return victim


def wait_for_another(cluster: Cluster, before: set[int], victim: int) -> set[int]:
    """Wait until a new executor has replaced the victim; return the PIDs of new executors."""

    def replaced() -> set[int]:
        now = set(executors(cluster))
        if victim in now or not now - before:
            raise NotYet(f"executors {sorted(now)}, before {sorted(before)}, killed {victim}")
        return now - before

    return wait_for("a new executor runs", replaced, seconds=60)


def test_every_payment_is_archived_once_and_the_driver_goes_on(cluster: Cluster):
    driver = cluster.driver()
    started = driver.started()
    with cluster.stream(count=30_000, rate=750) as stream:
        first = set(executors(cluster))
        new = wait_for_another(cluster, first, kill_one(cluster, spared=set()))
        # Kill an executor of the beginning, if there is one.
        spared = new if set(executors(cluster)) - new else set()
        second = set(executors(cluster))
        wait_for_another(cluster, second, kill_one(cluster, spared))
        assert stream.runs, "the stream was over before the second executor died"
        ledger = stream.finish(seconds=120)
        # Fails unless the archive has each accepted payment exactly once.
        stream.reconcile()

    assert ledger["acknowledged"] == 30_000
    assert driver.started() == started
