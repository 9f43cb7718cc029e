"""The report of `make replicas` on results of brokers."""

from ansible_collections.metal.kafka.plugins.filter.replicas import replicas_result

EQUAL = {"compared": ["a-0", "a-1"], "unfinished": [], "compacted": [], "different": []}


def test_equal_replicas_are_counted():
    found = replicas_result({"kafka1": EQUAL, "kafka2": EQUAL})
    assert found["faults"] == []
    assert found["text"].splitlines() == [
        "kafka1: 2 replicas are equal to another one",
        "kafka2: 2 replicas are equal to another one",
    ]


def test_skipped_and_unfinished_replicas_are_no_faults():
    unfinished = [f"b-{number}: no time" for number in range(7)]
    found = replicas_result({"kafka1": {**EQUAL, "unfinished": unfinished, "compacted": ["c-0"]}})
    assert found["faults"] == []
    assert "7 not fully compared: b-0: no time" in found["text"]
    assert "2 more" in found["text"]
    assert "1 of compacted topics left out" in found["text"]


def test_a_difference_is_a_fault():
    difference = "a-0: brokers 1 and 2 differ at offset 7"
    found = replicas_result({"kafka1": {**EQUAL, "different": [difference]}})
    assert found["faults"] == [difference]
    assert f"DIFFERENT: {difference}" in found["text"]


def test_broker_without_result_is_a_fault():
    found = replicas_result({"kafka1": EQUAL, "kafka2": {"msg": "broker 2: no response in 20 s"}})
    assert found["faults"] == ["kafka2: not compared: broker 2: no response in 20 s"]
