"""Topics are read and changed in bulk, and every broker is waited for."""

from types import SimpleNamespace

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._content import topic_requests
from ansible_collections.metal.kafka.plugins.module_utils._content.topic_model import (
    Configure,
    Create,
    Delete,
    Grow,
    Spec,
)
from ansible_collections.metal.kafka.plugins.module_utils._kafka.snapshot import NO_BROKER
from kafka_responses import connection, described, in_sequence


def test_only_keys_set_on_the_topic_are_read():
    configs = {
        "a": {
            "retention.ms": {
                "value": "5",
                "config_source": "DYNAMIC_TOPIC_CONFIG",
                "config_type": "LONG",
            },
            "segment.ms": {"value": "7", "config_source": "DYNAMIC_DEFAULT_BROKER_CONFIG"},
        }
    }
    made = connection(
        describe_topics=in_sequence([described("a", 1, 1), described("other", 1)]),
        describe_configs=in_sequence({"topic": configs}),
    )
    found = made.read_topics(["a", "missing"])
    assert list(found) == ["a"]
    assert (found["a"].partitions, found["a"].replicas) == (2, {2})
    assert {key: value.text for key, value in found["a"].config.items()} == {"retention.ms": "5"}


def test_thousand_topics_are_read_in_two_requests():
    requests = []

    def recorded(name, result):
        def request(*_args, **_keys):
            requests.append(name)
            return result

        return request

    names = [f"t{number}" for number in range(1000)]
    made = connection(
        describe_topics=recorded("topics", [described(name, 1, 2, 1) for name in names]),
        describe_configs=recorded("configs", {"topic": {name: {} for name in names}}),
    )
    found = made.read_topics(names)
    assert len(found) == 1000
    assert found["t7"].placement == ((2, 1),) * 3
    assert requests == ["topics", "configs"]


def test_deletion_waits_for_every_broker():
    reads = []

    def views(topics):
        reads.append(list(topics))
        return [{}, {"a": {}}] if len(reads) < 3 else [{}, {}]

    made = connection(
        delete_topics=in_sequence(
            {
                "topics": [
                    {"name": "a", "error_code": 0, "error_message": None},
                    # Another client has already deleted it.
                    {"name": "b", "error_code": 3, "error_message": None},
                    {"name": "c", "error_code": 73, "error_message": "deletion is off"},
                ]
            }
        ),
    )
    made.views = views
    steps = [Delete(name, 1) for name in "abc"]
    assert made.delete_topics(steps, dry=True) == {}
    assert reads == []
    assert made.delete_topics(steps, dry=False) == {"c": "deletion is off"}
    assert reads == [["a", "b"], ["a"], ["a"]]


def test_topic_that_still_exists_at_the_deadline_is_a_blocker():
    made = connection(delete_topics=in_sequence({"topics": [{"name": "a", "error_code": 0}]}))
    made.timeout, made.views = 0.2, lambda _: [{"a": {}}]
    assert made.delete_topics([Delete("a", 1)], dry=False) == {"a": "still exists after 0.2 s"}


def test_declared_placement_is_sent():
    requests = {}

    def create(resources, **_keys):
        requests.update(resources)
        return SimpleNamespace(to_dict=lambda: {"results": []})

    made = connection(create_partitions=create)
    made.grow_topics([Grow("a", 1, 3, ((2, 1), (3, 2))), Grow("b", 1, 2)], dry=True)
    assert requests == {"a": {"count": 3, "assignments": [[2, 1], [3, 2]]}, "b": 2}
    assert topic_requests.creation_parameters(Spec("a", 2, 2, placement=((1, 2), (2, 1)))) == {
        "assignments": {0: [1, 2], 1: [2, 1]}
    }


def test_creation_waits_for_every_broker():
    made = connection(
        create_topics=in_sequence({"topics": [{"name": "a", "error_code": 0}]}),
    )
    reads = []

    def metadata(broker, topics):
        reads.append(broker)
        late = broker == 2 and reads.count(2) < 3
        return {} if late else {"a": described("a", 1, 2)}

    made.known_brokers = lambda: [1, 2]
    made.metadata = metadata
    assert made.create_topics([Create(Spec("a", 2))], dry=False) == {}
    assert reads.count(2) == 3


@pytest.mark.parametrize(("code", "refused"), [(36, {}), (7, {}), (40, {"a": "Unknown key"})])
def test_existing_or_slow_topic_is_not_a_blocker(code, refused):
    made = connection(
        create_topics=in_sequence(
            {"topics": [{"name": "a", "error_code": code, "error_message": "Unknown key"}]}
        )
    )
    made.known_brokers = lambda: [1]
    # A rejected topic is not waited for.
    made.metadata = lambda broker, topics: {} if refused else {"a": described("a", 1)}
    assert made.create_topics([Create(Spec("a", 1))], dry=False) == refused


def test_partition_without_a_leader_is_a_blocker():
    made = connection(create_topics=in_sequence({"topics": [{"name": "a", "error_code": 0}]}))
    made.timeout = 0.2
    made.known_brokers = lambda: [1]
    made.metadata = lambda broker, topics: {"a": described("a", 1, NO_BROKER)}
    assert made.create_topics([Create(Spec("a", 2))], dry=False) == {
        "a": "1 of 2 partitions have a leader after 0.2 s"
    }


def configured(text):
    return {"retention.ms": {"value": text, "config_source": "DYNAMIC_TOPIC_CONFIG"}}


CHANGE = Configure("a", {"retention.ms": "5"}, {"retention.ms": "6"})


def test_changed_key_is_waited_for():
    reads = []

    def describe(*_args, **_keys):
        reads.append(1)
        return {"topic": {"a": configured("6" if len(reads) > 2 else "5")}}

    made = connection(
        alter_configs=in_sequence({"topic": {"a": "OK"}}),
        describe_topics=in_sequence([described("a", 1)]),
        describe_configs=describe,
    )
    assert made.configure_topics([CHANGE], dry=False) == {}
    assert len(reads) == 3


def test_key_without_effect_at_the_deadline_is_a_blocker():
    made = connection(
        alter_configs=in_sequence({"topic": {"a": "OK"}}),
        describe_topics=in_sequence([described("a", 1)]),
        describe_configs=in_sequence({"topic": {"a": configured("5")}}),
    )
    made.timeout = 0.2
    assert made.configure_topics([CHANGE], dry=False) == {"a": "not effective after 0.2 s"}


def test_rejected_key_has_kafkas_message():
    error = "[Error 40] InvalidConfigurationError: Unknown topic config name: retentoin.ms"
    made = connection(alter_configs=in_sequence({"topic": {"a": error}}))
    assert made.configure_topics([CHANGE], dry=False) == {
        "a": "Unknown topic config name: retentoin.ms"
    }


def test_dry_run_waits_for_nothing():
    made = connection(create_topics=in_sequence({"topics": [{"name": "a", "error_code": 0}]}))
    made.known_brokers = None
    assert made.create_topics([Create(Spec("a", 2))], dry=True) == {}
