import pytest
from ansible_collections.metal.kafka.plugins.module_utils.wishes import WishError, topic_wishes

DEFAULTS = {"partitions": 6, "replication": 3, "min_insync": 2, "retention": "7d"}


def test_friendly_words_become_kafkas():
    assert topic_wishes(
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
    assert topic_wishes({"a": {}}) == {"a": {"config": {}}}


@pytest.mark.parametrize(
    ("defaults", "own", "retention"),
    [
        ({"retention": "1s"}, {"config": {"retention.ms": 5}}, 5),
        ({"config": {"retention.ms": 5}}, {"retention": "1s"}, 1000),
        ({"retention": "1s"}, {"retention": -1}, -1),
        ({"retention": "1s"}, {"retention": None}, 1000),
    ],
)
def test_a_topics_own_key_wins_in_either_word(defaults, own, retention):
    wishes = topic_wishes({"a": own}, defaults)
    assert wishes["a"]["config"] == {"retention.ms": retention}


def test_min_insync_may_equal_the_replication():
    wishes = topic_wishes({"a": {"replication": 1, "min_insync": 1}}, DEFAULTS)
    assert wishes["a"]["replication_factor"] == wishes["a"]["config"]["min.insync.replicas"] == 1


@pytest.mark.parametrize(
    ("name", "declared", "message"),
    [
        (
            "a",
            {"retentoin": "7d"},
            "topic a: unknown key retentoin; known: partitions, replication",
        ),
        ("a", {"retention": "7x"}, "topic a: retention: '7x' is no duration"),
        ("a", {"retention_size": "big"}, "topic a: retention_size: 'big' is no size"),
        ("a", {"cleanup": "deleet"}, "topic a: cleanup: 'deleet' is none of delete, compact"),
        ("a", {"partitions": 0}, "topic a: partitions: 0 is no whole number from 1"),
        ("a", {"partitions": True}, "topic a: partitions: True is no whole number"),
        ("a", {"replication": "x"}, "topic a: replication: 'x' is no whole number"),
        ("a", {"replication": 1}, "topic a: min_insync 2, from the defaults, is above replication"),
        ("a", {"min_insync": 4}, "topic a: min_insync 4 is above replication 3"),
        ("a", {"config": {"min.insync.replicas": "4"}}, "topic a: min_insync 4 is above"),
        (
            "a",
            {"retention": "1s", "config": {"retention.ms": 5}},
            r"topic a: retention and config.retention.ms are both given and differ",
        ),
        ("a", ["x"], "topic a: the declaration is no mapping"),
        ("a", {"config": ["x"]}, "topic a: config is no mapping"),
        ("a/b", {}, "topic a/b: the name is not 1 to 249 letters"),
        ("a" * 250, {}, "the name is not 1 to 249 letters"),
        ("..", {}, r"topic \.\.: the name is not"),
        ("__mine", {}, "topic __mine: the name begins like those of Kafka's own"),
        ("UPPER", {}, r"topic UPPER: the name does not match \[a-z\._\]\+, this site's rule"),
    ],
)
def test_a_wrong_declaration_is_refused_by_topic_and_key(name, declared, message):
    with pytest.raises(WishError, match=message):
        topic_wishes({name: declared}, DEFAULTS, "[a-z._]+")


def test_names_that_differ_only_in_dots_and_underscores_are_refused():
    with pytest.raises(WishError, match=r"topic a_b: the name differs from a.b only in"):
        topic_wishes({"a.b": {}, "a_b": {}})


def test_everything_that_is_wrong_is_told_at_once():
    with pytest.raises(WishError) as refusal:
        topic_wishes({"a": {"x": 1}, "b": {}, "c": {"y": 1}})
    assert len(refusal.value.sentences) == 2


def test_wrong_defaults_are_told_as_such():
    with pytest.raises(WishError, match="defaults of topics: retention: 'x' is no duration"):
        topic_wishes({}, {"retention": "x"})
