"""Which replicas move between the disks of a broker."""

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
    """Number and bytes of replicas by dir once the plan is carried out."""
    held = {each.path: list(each.replicas) for each in dirs}
    for move in plan.moves:
        held[move.source].remove(move.replica)
        held[move.target].append(move.replica)
    return {path: (len(found), sum(r.size for r in found)) for path, found in held.items()}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # Equal replicas: a third each.
        ([MIB] * 6, [MIB] * 6, (4, 4 * MIB)),
        # Empty ones count as well: a share of what will be written.
        ([0] * 6, [0] * 6, (4, 0)),
        # From the fuller dir first.
        ([MIB] * 9, [MIB] * 3, (4, 4 * MIB)),
        # Nothing there is nothing to move.
        ([], [], (0, 0)),
    ],
)
def test_a_new_dir_gets_its_share(first, second, expected):
    dirs = [
        disk("/a", replicas("t", *first)),
        disk("/b", replicas("t", *second, start=len(first))),
        disk("/new"),
    ]
    assert after(dirs, log_dirs.share(dirs, "/new"))["/new"] == expected


def test_bytes_and_numbers_both_count():
    dirs = [disk("/a", replicas("big", *[100 * MIB] * 4)), disk("/b", replicas("small", *[1] * 8))]
    dirs.append(disk("/new"))
    number, held = after(dirs, log_dirs.share(dirs, "/new"))["/new"]
    assert 100 * MIB <= held <= 200 * MIB
    assert 2 <= number <= 5


def test_a_share_of_bytes_is_no_excuse_for_too_few_replicas():
    """Twelve large partitions of fifty: neither all of the share in large ones, nor only small."""
    sizes = [10 * MIB] * 6 + [100] * 25
    dirs = [
        disk("/a", replicas("t", *sizes)),
        disk("/b", replicas("t", *sizes, start=len(sizes))),
        disk("/new"),
    ]
    number, held = after(dirs, log_dirs.share(dirs, "/new"))["/new"]
    assert 19 <= number <= 20
    assert 30 * MIB <= held <= 41 * MIB


def test_one_huge_replica_does_not_change_places():
    dirs = [disk("/a", replicas("huge", 500 * MIB)), disk("/new")]
    assert log_dirs.share(dirs, "/new").moves == ()


def test_partitions_of_a_topic_are_spread_and_not_gathered_on_the_new_dir():
    mixed = [Replica(topic, number, MIB) for topic in "abc" for number in range(4)]
    dirs = [disk("/a", mixed[::2]), disk("/b", mixed[1::2]), disk("/new")]
    plan = log_dirs.share(dirs, "/new")
    topics = [move.replica.topic for move in plan.moves]
    assert len(topics) == 4
    assert max(topics.count(topic) for topic in "abc") == 2


def test_a_second_run_moves_nothing():
    dirs = [
        disk("/a", replicas("t", *[MIB] * 8)),
        disk("/new", replicas("t", *[MIB] * 8, start=8)),
    ]
    assert log_dirs.share(dirs, "/new").done
    nearly = [dirs[0], disk("/new", replicas("t", *[MIB] * 7, start=8))]
    assert log_dirs.share(nearly, "/new").done


def test_what_is_under_way_counts_as_arrived_and_is_waited_for():
    first = replicas("t", *[MIB] * 4)
    arriving = (Replica("t", 0, 10, arriving=True), Replica("t", 1, 10, arriving=True))
    plan = log_dirs.share([disk("/a", first), disk("/new", arriving)], "/new")
    assert plan.moves == ()
    assert plan.arriving == arriving
    assert not plan.done


def test_a_new_dir_without_room_gets_nothing():
    small = disk("/new", total=1000 * MIB, usable=110 * MIB)
    plan = log_dirs.share([disk("/a", replicas("t", *[20 * MIB] * 4)), small], "/new")
    assert plan.moves == ()


def test_a_drained_dir_is_empty_and_the_others_share_by_room():
    dirs = [
        disk("/a", replicas("t", *[MIB] * 6)),
        disk("/b", usable=100 * MIB, total=100 * MIB),
        disk("/c", usable=100 * MIB, total=100 * MIB),
    ]
    found = after(dirs, log_dirs.drain(dirs, "/a"))
    assert [found[path][0] for path in ("/a", "/b", "/c")] == [0, 3, 3]


def test_a_drain_goes_on_where_it_stopped():
    arriving = Replica("t", 0, 5, arriving=True)
    dirs = [disk("/a", replicas("t", MIB, MIB)), disk("/b", [arriving])]
    plan = log_dirs.drain(dirs, "/a")
    assert [move.replica.name for move in plan.moves] == ["t-1"]
    assert plan.arriving == (arriving,)


def test_a_dir_that_gets_replicas_back_is_still_drained():
    """A copy that arrives in the dir to drain is not one that leaves it."""
    arriving = Replica("t", 0, 5, arriving=True)
    plan = log_dirs.drain([disk("/a", [arriving]), disk("/b", replicas("t", MIB))], "/a")
    assert plan.moves == ()


@pytest.mark.parametrize(
    ("dirs", "message"),
    [
        ([disk("/a")], "only log dir"),
        ([disk("/b")], "/a is no log dir of the running broker, which has /b"),
        (
            [disk("/a"), disk("/b", error="KafkaStorageError")],
            r"/b is offline \(KafkaStorageError\).*KAFKA-19571",
        ),
        (
            [
                disk("/a", replicas("t", 60 * MIB, 60 * MIB)),
                disk("/b", total=100 * MIB, usable=100 * MIB),
            ],
            "t-1 has 60 MiB, and /b would have 30 MiB left beside the reserve of 10%",
        ),
    ],
)
def test_a_drain_that_cannot_be_is_refused_beforehand(dirs, message):
    with pytest.raises(LogDirError, match=message):
        log_dirs.drain(dirs, "/a")


def test_a_dir_with_replicas_is_not_empty_and_names_some():
    with pytest.raises(LogDirError, match=r"holds 7 replicas: t-0, .*t-4 and 2 more"):
        log_dirs.require_empty([disk("/a", replicas("t", *[1] * 7))], "/a")
    log_dirs.require_empty([disk("/a")], "/a")


def test_an_offline_dir_is_never_taken_for_empty():
    with pytest.raises(LogDirError, match="what it holds is unknown"):
        log_dirs.require_empty([disk("/a", error="KafkaStorageError")], "/a")


def test_batches_are_bounded_in_number_and_bytes():
    def moves(*sizes):
        return [log_dir_model.Move(r, "/a", "/b") for r in replicas("t", *sizes)]

    assert len(log_dirs.batch(moves(*[1] * 50))) == log_dirs.BATCH_REPLICAS
    assert len(log_dirs.batch(moves(*[15 * log_dirs.GIB] * 3))) == 1
    assert len(log_dirs.batch(moves(50 * log_dirs.GIB))) == 1


def test_a_plan_is_told_by_pairs_of_dirs():
    plan = log_dirs.drain([disk("/a", replicas("t", MIB, MIB)), disk("/b")], "/a")
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
def test_log_dirs_belong_to_the_disk_they_lie_on(mount, expected):
    assert log_dirs.below(["/data/disk1/kafka", "/data/disk10"], mount) == expected
