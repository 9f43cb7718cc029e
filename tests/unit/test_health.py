import pytest
from ansible_collections.metal.kafka.plugins.module_utils._kafka.health import report, unreachable
from ansible_collections.metal.kafka.plugins.module_utils._kafka.snapshot import LogDir
from ansible_collections.metal.kafka.plugins.module_utils._kafka.stop_gate import before_stop
from kafka_states import cluster, partition

WHOLE = (partition("a-0", (1, 2, 3)), partition("a-1", (2, 3, 1), replicas=(2, 3, 1)))


def test_a_whole_cluster_is_healthy():
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
        (cluster(*WHOLE, silent={2: "refused"}), ["broker 2 does not answer: refused"]),
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
        # Work, not faults:
        (cluster(partition("a-0", (1, 2, 3), leader=2)), []),
        (cluster(partition("a-0", (1, 2), replicas=(3, 1, 2), adding=(3,))), []),
        (cluster(*WHOLE, reassignments=("a-0",)), []),
    ],
)
def test_each_fault_is_one_sentence(state, problems):
    found = report(state, expected=[1, 2, 3])
    assert found["problems"] == problems
    assert found["healthy"] == (not problems)


def test_a_leader_away_from_its_preferred_broker_is_counted():
    away = partition("a-0", (2, 1, 3))
    offline = partition("b-0", (1,), replicas=(1,), leader=-1)
    assert report(cluster(away, offline))["not_preferred"] == 1


def test_a_long_list_is_cut_in_the_sentence_and_whole_in_the_figures():
    found = report(cluster(*(partition(f"a-{number}", (1, 2)) for number in range(7))))
    assert found["problems"] == [
        "7 partitions are under-replicated: a-0, a-1, a-2, a-3, a-4 and 2 more"
    ]
    assert len(found["under_replicated"]) == 7
    five = report(cluster(*(partition(f"a-{number}", (1, 2)) for number in range(5))))
    assert five["problems"][0].endswith(": a-0, a-1, a-2, a-3, a-4")


def test_the_decision_of_the_gate_is_part_of_the_result():
    state = cluster(partition("a-0", (1, 2)))
    assert report(state, decision=before_stop(state, 3))["stop"] == {
        "brokers": [3],
        "safe": True,
        "blockers": [],
        "unprotected": [],
    }


def test_a_silent_cluster_has_the_same_keys_and_lets_no_broker_stop():
    state = cluster(*WHOLE)
    silent = unreachable("no broker listens", before_stop=[2])
    assert set(silent) == set(report(state, decision=before_stop(state, 2)))
    assert (silent["reachable"], silent["healthy"], silent["stop"]["safe"]) == (False,) * 3
    assert silent["problems"] == silent["stop"]["blockers"] == ["no broker listens"]
    assert "stop" not in unreachable("no broker listens")


def test_a_healthy_broker_answers_with_all_its_disks_and_replicas():
    found = cluster(
        partition("a-0", isr=(1, 2), replicas=(1, 2, 3)),
        partition("b-0", isr=(1,), replicas=(1, 2), adding=(2,)),
        brokers=(1, 2, 3, 4, 5),
        failed_log_dirs=(LogDir(4, "/data/disk1", "offline"),),
        silent={5: "no answer"},
    )
    # 3 lags, 4 has lost a disk, 5 does not answer, 6 is not registered; 2 is being filled.
    assert report(found)["healthy_brokers"] == [1, 2]
