import pytest
from ansible_collections.metal.kafka.plugins.module_utils._kafka.health import (
    report,
    unreachable_result,
)
from ansible_collections.metal.kafka.plugins.module_utils._kafka.snapshot import LogDir
from ansible_collections.metal.kafka.plugins.module_utils._kafka.stop_gate import before_stop
from kafka_states import cluster, partition

WHOLE = (partition("a-0", (1, 2, 3)), partition("a-1", (2, 3, 1), replicas=(2, 3, 1)))


def test_complete_cluster_is_healthy():
    found = report(cluster(*WHOLE), expected=[1, 2, 3])
    assert found["healthy"]
    assert found["problems"] == []
    assert (found["topics"], found["partitions"], found["not_preferred"]) == (1, 2, 0)
    assert [broker["id"] for broker in found["brokers"]] == [1, 2, 3]
    assert "stop" not in found


@pytest.mark.parametrize(
    ("state", "problems"),
    [
        (cluster(*WHOLE, brokers=(1, 2)), ["broker 3 is not registered"]),
        (cluster(*WHOLE, controller=-1), ["the cluster has no controller"]),
        (cluster(*WHOLE, unresponsive={2: "refused"}), ["broker 2 does not respond: refused"]),
        (cluster(*WHOLE, unread=("moves are unknown",)), ["moves are unknown"]),
        (
            cluster(*WHOLE, failed_log_dirs=(LogDir(2, "/data/1", "KafkaStorageError"),)),
            ["broker 2: log dir /data/1: KafkaStorageError"],
        ),
        (
            cluster(partition("a-0", (1, 2))),
            ["1 partition is under-replicated: a-0"],
        ),
        (
            cluster(partition("a-0", (1,)), partition("b-0", (2,))),
            [
                "2 partitions are under min.insync.replicas: a-0, b-0",
                "2 partitions are under-replicated: a-0, b-0",
            ],
        ),
        (
            cluster(partition("a-0", (1,), replicas=(1,), leader=-1), min_isr=1),
            ["1 partition is offline: a-0"],
        ),
        # Not problems:
        (cluster(partition("a-0", (1, 2, 3), leader=2)), []),
        (cluster(partition("a-0", (1, 2), replicas=(3, 1, 2), adding=(3,))), []),
        (cluster(*WHOLE, reassignments=("a-0",)), []),
    ],
)
def test_each_problem_is_one_message(state, problems):
    found = report(state, expected=[1, 2, 3])
    assert found["problems"] == problems
    assert found["healthy"] == (not problems)


def test_leaders_other_than_preferred_are_counted():
    away = partition("a-0", (2, 1, 3))
    offline = partition("b-0", (1,), replicas=(1,), leader=-1)
    assert report(cluster(away, offline))["not_preferred"] == 1


def test_long_list_is_shortened_only_in_the_message():
    found = report(cluster(*(partition(f"a-{number}", (1, 2)) for number in range(7))))
    assert found["problems"] == [
        "7 partitions are under-replicated: a-0, a-1, a-2, a-3, a-4 and 2 more"
    ]
    assert len(found["under_replicated"]) == 7
    five = report(cluster(*(partition(f"a-{number}", (1, 2)) for number in range(5))))
    assert five["problems"][0].endswith(": a-0, a-1, a-2, a-3, a-4")


def test_report_contains_the_stop_decision():
    state = cluster(partition("a-0", (1, 2)))
    assert report(state, decision=before_stop(state, 3))["stop"] == {
        "brokers": [3],
        "safe": True,
        "blockers": [],
        "unprotected": [],
    }


def test_unreachable_cluster_has_the_same_keys_and_blocks_stops():
    state = cluster(*WHOLE)
    unreachable_cluster = unreachable_result("no broker listens", before_stop=[2])
    assert set(unreachable_cluster) == set(report(state, decision=before_stop(state, 2)))
    assert (
        unreachable_cluster["reachable"],
        unreachable_cluster["healthy"],
        unreachable_cluster["stop"]["safe"],
    ) == (False,) * 3
    assert (
        unreachable_cluster["problems"]
        == unreachable_cluster["stop"]["blockers"]
        == ["no broker listens"]
    )
    assert "stop" not in unreachable_result("no broker listens")


def test_healthy_brokers_respond_with_all_disks_and_replicas():
    found = cluster(
        partition("a-0", isr=(1, 2), replicas=(1, 2, 3)),
        partition("b-0", isr=(1,), replicas=(1, 2), adding=(2,)),
        brokers=(1, 2, 3, 4, 5),
        failed_log_dirs=(LogDir(4, "/data/disk1", "offline"),),
        unresponsive={5: "no response"},
    )
    # 3 lags, 4 lost a disk, 5 does not respond, 6 is not registered; 2 is being added.
    assert report(found)["healthy_brokers"] == [1, 2]
