"""Progress of a broker's replicas, their comparison, and moves between log dirs."""

import struct
from types import SimpleNamespace

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._kafka.snapshot import (
    Broker,
    Cluster,
    Partition,
)
from ansible_collections.metal.kafka.plugins.module_utils._replicas import (
    catch_up,
    equality,
    log_dir_moves,
)
from ansible_collections.metal.kafka.plugins.module_utils._replicas.log_dir_model import (
    Dir,
    LogDirError,
    Replica,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.remaining_work import (
    RemainingWork,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.resumable_action import (
    progress_text,
)


def batch(base, count, payload=b"records", epoch=0):
    """A record batch of format 2, with the fields that the code reads."""
    body = struct.pack(">ibIhi", epoch, 2, 0, 0, count - 1) + payload
    return struct.pack(">qi", base, len(body)) + body


def test_truncated_batch_is_omitted():
    found = equality.parse_batches(batch(0, 3) + batch(3, 1) + batch(4, 9)[:-1])
    assert [(one.base, one.last) for one in found] == [(0, 2), (3, 3)]
    assert equality.parse_batches(b"") == []


def test_replicas_are_compared_as_far_as_both_responses_reach():
    one = equality.parse_batches(batch(0, 3) + batch(3, 2) + batch(5, 1))
    # The leader epoch may differ between replicas.
    other = equality.parse_batches(batch(0, 3, epoch=7) + batch(3, 2))
    assert equality.compare(0, one, other) == equality.Comparison(5)


@pytest.mark.parametrize(
    "other",
    [
        batch(0, 3) + batch(3, 2, b"changed"),
        batch(0, 3) + batch(3, 3),
        batch(0, 3) + batch(4, 1),
    ],
)
def test_difference_is_found_at_its_offset(other):
    one = equality.parse_batches(batch(0, 3) + batch(3, 2))
    assert equality.compare(0, one, equality.parse_batches(other)) == equality.Comparison(3, 3)


def cluster(isr=(1, 2), brokers=(1, 2), **more):
    return Cluster(
        id="c",
        controller=1,
        brokers=tuple(Broker(each, "h", 9092) for each in brokers),
        partitions=(Partition("t", 0, 1, (1, 2), tuple(isr)),),
        min_isr={"t": 1},
        **more,
    )


def connection(state, dirs=None, logs=None):
    """A fake connection; ``logs`` are batches of ten records by broker."""
    logs = logs or {}

    def fetch(broker, offsets):
        held = logs[broker]
        return {key: (0, b"".join(held[offset // 10 :])) for key, offset in offsets.items()}

    return SimpleNamespace(
        read_cluster=lambda: state,
        dirs=lambda broker: (dirs or {}).get(broker, []),
        fetch=fetch,
        compacted=lambda topics: set(),
        offsets=lambda keys: ({}, {("t", 0): 10 * len(logs.get(1, ()))}),
        request_timeout=1,
        deadline=None,
    )


def test_broker_is_done_when_every_replica_is_in_sync():
    found = catch_up.progress(connection(cluster()), 2)
    assert (found["done"], found["remaining"], found["waits_for"]) == (True, 0, [])


def test_missing_bytes_are_returned():
    dirs = {
        1: [Dir("/a", (Replica("t", 0, 1000),))],
        2: [Dir("/a", (Replica("t", 0, 400),))],
    }
    found = catch_up.progress(connection(cluster(isr=(1,)), dirs), 2)
    assert (found["done"], found["remaining"], found["phase"]) == (False, 600, "filling")
    assert found["waits_for"] == ["1 partition is not in sync on broker 2: t-0"]


def test_unregistered_broker_is_a_blocker():
    found = catch_up.progress(connection(cluster(isr=(1,), brokers=(1,))), 2)
    assert not found["done"]
    assert found["phase"] == "starting"
    assert "broker 2 is not registered" in found["waits_for"]


LOG = [batch(0, 10), batch(10, 10), batch(20, 10)]


def test_equal_logs_are_compared_to_the_end():
    made = connection(cluster(), logs={1: LOG, 2: LOG})
    found = catch_up.verify(made, 2, [("t", 0)], 5)
    assert found == {"compared": ["t-0"], "unfinished": [], "compacted": [], "different": []}


def test_changed_record_is_a_difference():
    changed = [LOG[0], batch(10, 10, b"rotten!"), LOG[2]]
    found = catch_up.verify(connection(cluster(), logs={1: LOG, 2: changed}), 2, [("t", 0)], 5)
    assert found["different"] == ["t-0 differs from broker 1 at offset 10"]


def test_short_replica_is_not_equal():
    found = catch_up.verify(connection(cluster(), logs={1: LOG, 2: LOG[:1]}), 2, [("t", 0)], 5)
    assert found["compared"] == []
    assert found["unfinished"] == ["t-0 (no common records at offset 10)"]


def test_timeout_leaves_partitions_unfinished():
    found = catch_up.verify(connection(cluster(), logs={1: LOG, 2: LOG}), 2, [("t", 0)], 0)
    assert found["unfinished"] == ["t-0"]


def test_progress_line_shows_rate_and_stall_is_detected():
    work = RemainingWork()
    work.note(0, 4 << 30)
    work.note(10, 3 << 30)
    assert progress_text(work) == "1.0 GiB of 4.0 GiB, about 30 s left"
    work.note(20, 3 << 30)
    work.note(25, (3 << 30) + 1)
    assert work.stalled(30) == 20
    work.note(40, 0)
    assert progress_text(work) == "4.0 GiB of 4.0 GiB"


class Mover:
    """A broker that has finished moves at the next read of its log dirs."""

    def __init__(self, *dirs):
        self.found = {each.path: each for each in dirs}
        self.rate = None
        self.rates = []
        self.pending = []

    def dirs(self, _broker):
        now = list(self.found.values())
        for move in self.pending:
            source, target = self.found[move.source], self.found[move.target]
            self.found[move.source] = Dir(
                source.path, tuple(r for r in source.replicas if r != move.replica), 100, 100
            )
            self.found[move.target] = Dir(
                target.path, (*target.replicas, move.replica), 100, 100, target.error
            )
        self.pending = []
        return now

    def move(self, _broker, moves):
        self.pending = list(moves)

    def limit(self, _broker, rate):
        changed, self.rate = rate != self.rate, rate
        self.rates.append(rate)
        return changed


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(log_dir_moves, "POLL_INTERVAL", 0)


def held(path, number, error=""):
    return Dir(path, tuple(Replica("t", n, 1) for n in range(number)), 100, 100, error)


def test_limit_of_moves_is_removed_at_the_end():
    mover = Mover(held("/a", 4), held("/new", 0))
    found = log_dir_moves.run_moves(mover, 1, "/new", "balanced", 7, 5)
    assert (found["done"], found["changed"], found["replicas"]) == (True, True, 2)
    assert 7 in mover.rates
    assert mover.rate is None


def test_second_run_changes_nothing():
    mover = Mover(held("/a", 2), Dir("/new", (Replica("u", 0, 1), Replica("u", 1, 1)), 100, 100))
    assert log_dir_moves.run_moves(mover, 1, "/new", "balanced", 7, 5)["changed"] is False


def test_limit_of_a_killed_run_is_removed():
    mover = Mover(held("/a", 0), held("/new", 0))
    mover.rate = 7
    assert log_dir_moves.run_moves(mover, 1, "/new", "balanced", 7, 5)["changed"] is True
    assert mover.rate is None


def test_offline_dir_stops_moves_and_removes_the_limit():
    mover = Mover(held("/a", 4), held("/new", 0, error="KafkaStorageError"))
    mover.rate = 7
    with pytest.raises(LogDirError, match="KAFKA-19571"):
        log_dir_moves.run_moves(mover, 1, "/new", "balanced", 7, 5)
    assert mover.rate is None


def test_removed_log_dir_counts_as_empty():
    mover = Mover(held("/a", 4))
    assert log_dir_moves.run_moves(mover, 1, "/gone", "empty", 7, 5)["done"] is True
