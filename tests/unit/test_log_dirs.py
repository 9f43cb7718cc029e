"""Plans of moves between the log dirs of a broker."""

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._replicas import log_dir_model, log_dirs
from ansible_collections.metal.kafka.plugins.module_utils._replicas.log_dir_model import (
    Dir,
    LogDirError,
    Replica,
)

MIB = 1 << 20
BIG = 1 << 40


def replicas(topic, *sizes, start=0):
    return tuple(Replica(topic, number, size) for number, size in enumerate(sizes, start))


def disk(path, held=(), total=BIG, usable=BIG, error=""):
    return Dir(path, tuple(held), total, usable, error)


def after(dirs, plan):
    """Number and bytes of replicas by dir after the plan."""
    held = {each.path: list(each.replicas) for each in dirs}
    for move in plan.moves:
        held[move.source].remove(move.replica)
        held[move.target].append(move.replica)
    return {path: (len(found), sum(r.size for r in found)) for path, found in held.items()}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # Equal replicas: one third in each dir.
        ([MIB] * 6, [MIB] * 6, (4, 4 * MIB)),
        # Empty replicas count too, for future writes.
        ([0] * 6, [0] * 6, (4, 0)),
        # The fullest dir is the first source.
        ([MIB] * 9, [MIB] * 3, (4, 4 * MIB)),
        # No replicas, no moves.
        ([], [], (0, 0)),
    ],
)
def test_new_dir_gets_its_share(first, second, expected):
    dirs = [
        disk("/a", replicas("t", *first)),
        disk("/b", replicas("t", *second, start=len(first))),
        disk("/new"),
    ]
    assert after(dirs, log_dirs.plan_share(dirs, "/new"))["/new"] == expected


def test_shares_of_bytes_and_numbers_count():
    dirs = [disk("/a", replicas("big", *[100 * MIB] * 4)), disk("/b", replicas("small", *[1] * 8))]
    dirs.append(disk("/new"))
    number, held = after(dirs, log_dirs.plan_share(dirs, "/new"))["/new"]
    assert 100 * MIB <= held <= 200 * MIB
    assert 2 <= number <= 5


def test_new_dir_gets_its_share_of_replicas_too():
    """With 12 large of 50 partitions, the new dir gets both large and small ones."""
    sizes = [10 * MIB] * 6 + [100] * 25
    dirs = [
        disk("/a", replicas("t", *sizes)),
        disk("/b", replicas("t", *sizes, start=len(sizes))),
        disk("/new"),
    ]
    number, held = after(dirs, log_dirs.plan_share(dirs, "/new"))["/new"]
    assert 19 <= number <= 20
    assert 30 * MIB <= held <= 41 * MIB


def test_single_large_replica_is_not_moved():
    dirs = [disk("/a", replicas("huge", 500 * MIB)), disk("/new")]
    assert log_dirs.plan_share(dirs, "/new").moves == ()


def test_partitions_of_a_topic_stay_spread_over_dirs():
    mixed = [Replica(topic, number, MIB) for topic in "abc" for number in range(4)]
    dirs = [disk("/a", mixed[::2]), disk("/b", mixed[1::2]), disk("/new")]
    plan = log_dirs.plan_share(dirs, "/new")
    topics = [move.replica.topic for move in plan.moves]
    assert len(topics) == 4
    assert max(topics.count(topic) for topic in "abc") == 2


def test_second_run_moves_nothing():
    dirs = [
        disk("/a", replicas("t", *[MIB] * 8)),
        disk("/new", replicas("t", *[MIB] * 8, start=8)),
    ]
    assert log_dirs.plan_share(dirs, "/new").done
    nearly = [dirs[0], disk("/new", replicas("t", *[MIB] * 7, start=8))]
    assert log_dirs.plan_share(nearly, "/new").done


def test_future_replicas_count_as_moved():
    first = replicas("t", *[MIB] * 4)
    future = (Replica("t", 0, 10, future=True), Replica("t", 1, 10, future=True))
    plan = log_dirs.plan_share([disk("/a", first), disk("/new", future)], "/new")
    assert plan.moves == ()
    assert plan.future == future
    assert not plan.done


def test_full_dir_gets_nothing():
    small = disk("/new", total=1000 * MIB, usable=110 * MIB)
    plan = log_dirs.plan_share([disk("/a", replicas("t", *[20 * MIB] * 4)), small], "/new")
    assert plan.moves == ()


def test_drained_dir_is_empty_and_targets_are_chosen_by_free_space():
    dirs = [
        disk("/a", replicas("t", *[MIB] * 6)),
        disk("/b", usable=100 * MIB, total=100 * MIB),
        disk("/c", usable=100 * MIB, total=100 * MIB),
    ]
    found = after(dirs, log_dirs.plan_drain(dirs, "/a"))
    assert [found[path][0] for path in ("/a", "/b", "/c")] == [0, 3, 3]


def test_interrupted_drain_is_continued():
    future = Replica("t", 0, 5, future=True)
    dirs = [disk("/a", replicas("t", MIB, MIB)), disk("/b", [future])]
    plan = log_dirs.plan_drain(dirs, "/a")
    assert [move.replica.name for move in plan.moves] == ["t-1"]
    assert plan.future == (future,)


def test_dir_with_future_replicas_is_still_drained():
    """A future replica in the drained dir does not count as a move out of it."""
    future = Replica("t", 0, 5, future=True)
    plan = log_dirs.plan_drain([disk("/a", [future]), disk("/b", replicas("t", MIB))], "/a")
    assert plan.moves == ()


@pytest.mark.parametrize(
    ("dirs", "message"),
    [
        ([disk("/a")], "only log dir"),
        ([disk("/b")], "found log dir /a; allowed: those of the running broker: /b"),
        (
            [disk("/a"), disk("/b", error="KafkaStorageError")],
            r"/b is offline \(KafkaStorageError\).*KAFKA-19571",
        ),
        (
            [
                disk("/a", replicas("t", 60 * MIB, 60 * MIB)),
                disk("/b", total=100 * MIB, usable=100 * MIB),
            ],
            "t-1 has 60 MiB, /b would have 30 MiB free above the reserve of 10%",
        ),
    ],
)
def test_impossible_drain_is_an_error(dirs, message):
    with pytest.raises(LogDirError, match=message):
        log_dirs.plan_drain(dirs, "/a")


def test_error_names_replicas_of_a_non_empty_dir():
    with pytest.raises(LogDirError, match=r"contains 7 replicas: t-0, .*t-4 and 2 more"):
        log_dirs.require_empty([disk("/a", replicas("t", *[1] * 7))], "/a")
    log_dirs.require_empty([disk("/a")], "/a")


def test_offline_dir_is_not_empty():
    with pytest.raises(LogDirError, match="its replicas are unknown"):
        log_dirs.require_empty([disk("/a", error="KafkaStorageError")], "/a")


def test_batches_are_limited_in_number_and_bytes():
    def moves(*sizes):
        return [log_dir_model.Move(r, "/a", "/b") for r in replicas("t", *sizes)]

    assert len(log_dirs.first_moves(moves(*[1] * 50))) == log_dirs.BATCH_REPLICAS
    assert len(log_dirs.first_moves(moves(*[15 * log_dirs.GIB] * 3))) == 1
    assert len(log_dirs.first_moves(moves(50 * log_dirs.GIB))) == 1


def test_messages_are_by_pair_of_dirs():
    plan = log_dirs.plan_drain([disk("/a", replicas("t", MIB, MIB)), disk("/b")], "/a")
    assert log_dirs.messages(plan) == ["2 replicas (2 MiB) move from /a to /b"]


@pytest.mark.parametrize(
    ("mount", "expected"),
    [
        ("/data/disk1", ["/data/disk1/kafka"]),
        ("/data/disk1/", ["/data/disk1/kafka"]),
        ("/data/disk2", []),
        ("/data/disk10", ["/data/disk10"]),
    ],
)
def test_log_dirs_are_found_by_mount_point(mount, expected):
    assert log_dirs.paths_below(["/data/disk1/kafka", "/data/disk10"], mount) == expected
