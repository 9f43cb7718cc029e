import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.declaration_reader import (
    DeclarationError,
    Reader,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.declared_topics import (
    read_topics,
)

DEFAULTS = {"partitions": 6, "replication": 3, "min_insync": 2, "retention": "7d"}


def topics(*declared):
    reader = Reader()
    found = read_topics(reader, *declared)
    reader.finish()
    return found


def test_keys_of_topics_become_kafkas_keys():
    assert topics(
        {
            "payments": {
                "partitions": "12",
                "retention": "36h",
                "retention_size": "10GB",
                "cleanup": ["delete", "compact"],
                "config": {"message.timestamp.type": "LogAppendTime"},
            },
            "plain": None,
        },
        DEFAULTS,
    ) == {
        "payments": {
            "partitions": 12,
            "replication_factor": 3,
            "config": {
                "min.insync.replicas": 2,
                "retention.ms": 129_600_000,
                "retention.bytes": 10_000_000_000,
                "cleanup.policy": "compact,delete",
                "message.timestamp.type": "LogAppendTime",
            },
        },
        "plain": {
            "partitions": 6,
            "replication_factor": 3,
            "config": {"min.insync.replicas": 2, "retention.ms": 604_800_000},
        },
    }


def test_without_defaults_numbers_are_left_to_the_cluster():
    assert topics({"a": {}}) == {"a": {"config": {}}}


@pytest.mark.parametrize(
    ("defaults", "own", "retention"),
    [
        ({"retention": "1s"}, {"config": {"retention.ms": 5}}, 5),
        ({"config": {"retention.ms": 5}}, {"retention": "1s"}, 1000),
        ({"retention": "1s"}, {"retention": -1}, -1),
        ({"retention": "1s"}, {"retention": None}, None),
    ],
)
def test_key_of_a_topic_takes_precedence_in_either_form(defaults, own, retention):
    specs = topics({"a": own}, defaults)
    assert specs["a"]["config"] == {"retention.ms": retention}


def test_placement_defines_partitions_and_replication():
    specs = topics({"a": {"placement": [[1, 2, 3], [2, 3, 1]]}}, DEFAULTS)
    assert specs["a"] == {
        "placement": [[1, 2, 3], [2, 3, 1]],
        "partitions": 2,
        "replication_factor": 3,
        "config": {"min.insync.replicas": 2, "retention.ms": 604_800_000},
    }


def test_min_insync_may_equal_the_replication():
    specs = topics({"a": {"replication": 1, "min_insync": 1}}, DEFAULTS)
    assert specs["a"]["replication_factor"] == specs["a"]["config"]["min.insync.replicas"] == 1


@pytest.mark.parametrize(
    ("name", "declared", "message"),
    [
        ("a", {"retentoin": "7d"}, ".a.retentoin: found an unknown key; allowed: retention (did"),
        ("a", {"retention": "7x"}, ".a.retention: found '7x'; allowed: a duration such as 7d"),
        ("a", {"retention_size": "big"}, ".a.retention_size: found 'big'; allowed: a size"),
        ("a", {"cleanup": "deleet"}, ".a.cleanup: found 'deleet'; allowed: delete, compact or"),
        ("a", {"partitions": 0}, ".a.partitions: found 0; allowed: a whole number from 1"),
        ("a", {"partitions": True}, ".a.partitions: found True; allowed: a whole number"),
        ("a", {"replication": "x"}, ".a.replication: found 'x'; allowed: a whole number"),
        (
            "a",
            {"replication": 1},
            ".a.min_insync: found 2, from kafka_content_defaults; allowed",
        ),
        ("a", {"min_insync": 4}, ".a.min_insync: found 4; allowed: 1 to 3, the replication"),
        ("a", {"config": {"min.insync.replicas": "4"}}, ".a.min_insync: found 4; allowed: 1 to 3"),
        (
            "a",
            {"retention": "1s", "config": {"retention.ms": 5}},
            ".a.retention: found '1s' and config.retention.ms 5; allowed: one of the two",
        ),
        ("a", ["x"], ".a: found a list; allowed: a mapping, {} for a topic with all defaults"),
        ("a", {"config": ["x"]}, ".a.config: found a list; allowed: a mapping of Kafka's keys"),
        ("a", {"placement": [[1, 2], [2]]}, ".a.placement: found partitions with different"),
        ("a", {"placement": [[1, 1]]}, ".a.placement[0]: found [1, 1]; allowed: each broker once"),
        ("a", {"placement": [["one"]]}, ".a.placement[0]: found a list; allowed: a list of broker"),
        ("a", {"placement": [1]}, ".a.placement[0]: found 1; allowed: a list of broker ids for"),
        (
            "a",
            {"placement": [[1, 2, 3]], "partitions": 2},
            ".a.partitions: found 2; allowed: nothing: placement defines it",
        ),
        ("a/b", {}, ".a/b: found the name 'a/b'; allowed: 1 to 249 letters"),
        ("a" * 250, {}, "allowed: 1 to 249 letters"),
        ("..", {}, "...: found the name '..'; allowed: 1 to 249 letters"),
        ("__mine", {}, ".__mine: found the name '__mine'; allowed: names that are not Kafka's own"),
        ("UPPER", {}, ".UPPER: found the name 'UPPER'; allowed: names that match [a-z._]+ (kafka_"),
    ],
)
def test_invalid_topic_is_refused_with_its_path(name, declared, message):
    with pytest.raises(DeclarationError) as refusal:
        topics({name: declared}, DEFAULTS, "[a-z._]+")
    (found,) = refusal.value.messages
    assert found.startswith("kafka_content_topics.")
    assert message in found


def test_names_that_differ_only_in_dots_and_underscores_are_refused():
    with pytest.raises(
        DeclarationError, match=r"topics.a_b: found a name that collides with a.b in"
    ):
        topics({"a.b": {}, "a_b": {}})


def test_all_faults_of_topics_are_reported_at_once():
    with pytest.raises(DeclarationError) as refusal:
        topics({"a": {"x": 1, "partitions": 0}, "b": {}, "c": {"y": 1}})
    assert [fault.where.partition(".")[2] for fault in refusal.value.faults] == [
        "a.x",
        "a.partitions",
        "c.y",
    ]


def test_invalid_defaults_are_reported_once():
    with pytest.raises(
        DeclarationError, match=r"kafka_content_defaults.retention: found 'x'; allowed"
    ):
        topics({}, {"retention": "x"})
