import time

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._content.topic_changes import (
    batches,
    converge,
    difference,
)
from ansible_collections.metal.kafka.plugins.module_utils._content.topic_model import (
    Configure,
    Create,
    Delete,
    Grow,
    Move,
    Spec,
    Topic,
    TopicError,
)
from ansible_collections.metal.kafka.plugins.module_utils._content.topics import (
    parse_specs,
    plan,
    plan_absent,
    plan_all,
)
from ansible_collections.metal.kafka.plugins.module_utils._problems.config_values import Value

ORDERS = Topic("orders", 3, frozenset({3}), {"retention.ms": Value("1000", "LONG")})


@pytest.mark.parametrize(
    ("current", "spec", "steps"),
    [
        (None, Spec("orders", 3, 3), [Create(Spec("orders", 3, 3))]),
        (ORDERS, Spec("orders", 3, 3), []),
        (ORDERS, Spec("orders"), []),
        (ORDERS, Spec("orders", 3, 3, {"retention.ms": "1000"}), []),
        (ORDERS, Spec("orders", 5), [Grow("orders", 3, 5)]),
        (
            ORDERS,
            Spec("orders", config={"retention.ms": "5", "cleanup.policy": "compact"}),
            [
                Configure(
                    "orders",
                    {"retention.ms": "1000"},
                    {"retention.ms": "5", "cleanup.policy": "compact"},
                )
            ],
        ),
        (
            ORDERS,
            Spec("orders", 4, 3, {"retention.ms": "5"}),
            [
                Grow("orders", 3, 4),
                Configure("orders", {"retention.ms": "1000"}, {"retention.ms": "5"}),
            ],
        ),
    ],
)
def test_plan_has_the_steps_to_the_desired_state(current, spec, steps):
    assert plan(current, spec) == steps


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (Spec("orders", 2), "topic orders: 2 partitions are declared, it has 3; Kafka cannot"),
        (Spec("orders", 3, 2), "topic orders: replication factor 2 is declared, it has 3; "),
    ],
)
def test_error_names_topic_declared_value_and_blocker(spec, message):
    with pytest.raises(TopicError, match=message):
        plan(ORDERS, spec)


def test_uneven_replicas_match_no_factor():
    uneven = Topic("orders", 2, frozenset({2, 3}))
    with pytest.raises(TopicError, match="it has 2 or 3"):
        plan(uneven, Spec("orders", replication_factor=3))


def test_errors_of_all_specs_are_reported_together():
    with pytest.raises(TopicError) as refusal:
        plan_all(
            {"a": Topic("a", 2, frozenset({1})), "b": Topic("b", 2, frozenset({1}))},
            [Spec("a", 1), Spec("b", 1), Spec("c", 1)],
        )
    assert [text.split(":")[0] for text in refusal.value.messages] == ["topic a", "topic b"]


def test_parameters_are_converted_to_specs():
    found = parse_specs(
        {
            "b": None,
            "a": {
                "partitions": 6,
                "replication_factor": 3,
                "config": {
                    "preallocate": True,
                    "cleanup.policy": ["compact", "delete"],
                    "retention.ms": 1000,
                    "segment.ms": None,
                },
            },
        }
    )
    assert found == [
        Spec(
            "a",
            6,
            3,
            {"preallocate": "true", "cleanup.policy": "compact,delete", "retention.ms": "1000"},
            defaults=frozenset({"segment.ms"}),
        ),
        Spec("b"),
    ]


def test_nested_value_is_an_error_with_topic_and_key():
    with pytest.raises(TopicError, match=r"topic a: retention\.ms: the value is a mapping"):
        parse_specs({"a": {"config": {"retention.ms": {}}}})


@pytest.mark.parametrize(
    ("partitions", "sizes"),
    [
        ([1] * 5, [2, 2, 1]),
        ([4, 4, 4], [1, 1, 1]),
        ([99, 1], [1, 1]),
        ([3, 2, 3], [2, 1]),
        ([], []),
    ],
)
def test_batches_limit_topics_and_partitions(partitions, sizes):
    steps = [Create(Spec(f"t{number}", count)) for number, count in enumerate(partitions)]
    portions = list(batches(steps, topics=2, partitions=5))
    assert [len(portion) for portion in portions] == sizes
    assert [step for portion in portions for step in portion] == steps


class Kafka:
    """A fake cluster that stores topics, rejects ``bad`` ones and records changes."""

    def __init__(self, *topics, bad=(), race=()):
        self.topics = {topic.name: topic for topic in topics}
        self.bad = bad
        self.race = dict(race)
        self.done = []

    def read_topics(self, names, keys):
        self.keys = keys
        return {name: self.topics[name] for name in names if name in self.topics}

    def blockers(self, steps, dry):
        if not dry:
            self.done += [step.topic for step in steps if step.topic not in self.bad]
        return {step.topic: "no" for step in steps if step.topic in self.bad}

    def create_topics(self, steps, dry):
        blockers = self.blockers(steps, dry)
        for step in steps:
            if not dry and step.topic not in blockers:
                # Another client may have created it, with another number of partitions.
                count = self.race.pop(step.topic, step.spec.partitions)
                self.topics[step.topic] = Topic(step.topic, count, frozenset({1}))
        return blockers

    def grow_topics(self, steps, dry):
        blockers = self.blockers(steps, dry)
        for step in steps:
            if not dry and step.topic not in blockers:
                self.topics[step.topic] = Topic(step.topic, step.count, frozenset({1}))
        return blockers

    def configure_topics(self, steps, dry):
        return self.blockers(steps, dry)

    def delete_topics(self, steps, dry):
        blockers = self.blockers(steps, dry)
        for step in steps:
            if not dry and step.topic not in blockers:
                del self.topics[step.topic]
        return blockers


def test_second_run_changes_nothing():
    kafka = Kafka(Topic("old", 1, frozenset({1})))
    specs = [Spec("new", 2), Spec("old", 3)]
    assert [str(step) for step in converge(kafka, specs, dry=False)] == [
        "create new: 2 partitions, default number of replicas",
        "old: partitions 1 -> 3",
    ]
    assert converge(kafka, specs, dry=False) == []
    assert kafka.done == ["new", "old"]


def test_dry_run_returns_steps_without_applying_them():
    kafka = Kafka()
    assert len(converge(kafka, [Spec("new", 2)], dry=True)) == 1
    assert (kafka.done, kafka.topics) == ([], {})


@pytest.mark.parametrize("dry", [True, False])
def test_one_rejected_spec_prevents_all_changes(dry):
    kafka = Kafka(bad=("bad",))
    with pytest.raises(TopicError, match=r"^create bad: 1 partitions, .* replicas: no$"):
        converge(kafka, [Spec("bad", 1), Spec("good", 1)], dry)
    assert kafka.done == []


def test_a_refused_step_can_be_reported_with_all_others():
    refused = []
    steps = converge(Kafka(bad=("bad",)), [Spec("bad", 1), Spec("good", 1)], True, refused=refused)
    assert [step.topic for step in steps] == ["bad", "good"]
    assert refused == ["create bad: 1 partitions, default number of replicas: no"]


def test_a_contradiction_with_the_cluster_is_never_only_reported():
    kafka = Kafka(Topic("old", 3, frozenset({1})))
    with pytest.raises(TopicError, match="cannot remove partitions"):
        converge(kafka, [Spec("old", 1)], True, refused=[])
    with pytest.raises(TopicError, match="not confirmed"):
        converge(kafka, [], True, ["old"], refused=[])


def test_topic_created_concurrently_is_changed_to_its_spec():
    kafka = Kafka(race={"new": 1})
    converge(kafka, [Spec("new", 2)], dry=False)
    assert kafka.topics["new"].partitions == 2


def test_conflict_with_another_client_ends_with_an_error():
    kafka = Kafka(Topic("old", 1, frozenset({1})))
    kafka.grow_topics = lambda steps, dry: {}
    with pytest.raises(
        TopicError, match="old: partitions 1 -> 2: was applied but is not in effect"
    ):
        converge(kafka, [Spec("old", 2)], dry=False)


def test_difference_shows_only_changes():
    steps = [
        Create(Spec("new", 2, None, {"a": "1"})),
        Grow("old", 1, 2),
        Configure("old", {"b": "1"}, {"b": "2", "c": "3"}),
    ]
    assert difference(steps) == {
        "before": {"old": {"partitions": 1, "config": {"b": "1"}}},
        "after": {
            "new": {"partitions": 2, "replication_factor": "default", "config": {"a": "1"}},
            "old": {"partitions": 2, "config": {"b": "2", "c": "3"}},
        },
    }
    assert str(steps[2]) == "old: b 1 -> 2, c (default) -> 3"


@pytest.mark.parametrize(
    ("absent", "confirmed", "steps"),
    [
        ([], ["orders"], []),
        (["orders"], ["orders"], [Delete("orders", 3)]),
        (["orders", "orders"], ["orders"], [Delete("orders", 3)]),
        (["nowhere"], [], []),
    ],
)
def test_only_confirmed_existing_topics_are_deleted(absent, confirmed, steps):
    assert plan_absent({"orders": ORDERS}, absent, confirmed) == steps


@pytest.mark.parametrize(
    ("absent", "confirmed", "message"),
    [
        ("orders", ["order"], "topic orders: its deletion with 3 partitions is not confirmed by"),
        ("__consumer_offsets", ["__consumer_offsets"], "is internal to Kafka and is never deleted"),
        ("__transaction_state", ["__transaction_state"], "is internal to Kafka"),
    ],
)
def test_prevented_deletion_is_reported_with_the_reason(absent, confirmed, message):
    with pytest.raises(TopicError, match=message):
        plan_absent({"orders": ORDERS, absent: ORDERS}, [absent], confirmed)


def test_topic_declared_and_absent_is_an_error():
    with pytest.raises(TopicError, match="topic orders: is declared and under absent"):
        plan_all({"orders": ORDERS}, [Spec("orders", 3)], ["orders"], ["orders"])


def test_topics_are_deleted_once():
    kafka = Kafka(ORDERS)
    steps = converge(kafka, [], False, ["orders"], ["orders"])
    assert [str(step) for step in steps] == ["delete orders: 3 partitions with all records"]
    assert converge(kafka, [], False, ["orders"], ["orders"]) == []
    assert kafka.topics == {}


def test_one_rejected_spec_prevents_deletions():
    kafka = Kafka(ORDERS, bad=("bad",))
    with pytest.raises(TopicError):
        converge(kafka, [Spec("bad", 1)], False, ["orders"], ["orders"])
    assert kafka.topics == {"orders": ORDERS}


PLACED = Topic("orders", 2, frozenset({2}), placement=((1, 2), (2, 3)))


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (Spec("orders", replication_factor=3), "orders: replication factor 2 -> 3"),
        (
            Spec("orders", 2, 2, placement=((1, 2), (3, 2))),
            "orders: replicas move to the declared brokers",
        ),
    ],
)
def test_moves_of_replicas_are_reported_and_not_applied(spec, text):
    kafka = Kafka(PLACED)
    (step,) = converge(kafka, [spec], dry=False, moves=True)
    assert isinstance(step, Move)
    assert str(step) == text
    assert kafka.done == []
    with pytest.raises(TopicError, match="copies data and is not done here"):
        plan(PLACED, spec)


def test_new_partitions_use_the_declared_placement():
    placement = ((1, 2), (2, 3), (3, 1))
    spec = parse_specs({"orders": {"placement": [list(brokers) for brokers in placement]}})[0]
    assert plan(PLACED, spec) == [Grow("orders", 2, 3, ((3, 1),))]
    assert plan(None, spec) == [Create(Spec("orders", 3, 2, {}, placement))]
    assert plan(Topic("orders", 3, frozenset({2}), placement=placement), spec) == []


def test_difference_of_deletions_and_moves():
    assert difference([Delete("a", 1), Move("b", frozenset({1, 2}), Spec("b", None, 3))]) == {
        "before": {"a": {"partitions": 1}, "b": {"replication_factor": "1 or 2"}},
        "after": {"b": {"replication_factor": 3}},
    }


def test_next_run_completes_a_failed_one():
    kafka = Kafka(Topic("gone", 1, frozenset({1})))
    blockers_of = kafka.blockers

    def late(steps, dry):
        found = blockers_of(steps, dry)
        return found if dry else found | {each.topic: "no" for each in steps if each.topic == "b"}

    kafka.blockers = late
    specs = [Spec("a", 1), Spec("b", 2), Spec("c", 3)]
    with pytest.raises(TopicError, match="create b: 2 partitions"):
        converge(kafka, specs, False, ["gone"], ["gone"])
    assert set(kafka.topics) == {"a", "c"}
    kafka.blockers = blockers_of
    assert [step.topic for step in converge(kafka, specs, False, ["gone"], ["gone"])] == ["b"]
    assert converge(kafka, specs, False, ["gone"], ["gone"]) == []


def test_thousand_topics_are_planned_quickly():
    config = {"retention.ms": "604800000", "min.insync.replicas": "2"}
    values = {key: Value(text, "LONG") for key, text in config.items()}
    names = [f"topic-{number}" for number in range(1000)]
    kafka = Kafka(*(Topic(name, 3, frozenset({3}), values) for name in names))
    declared = {
        name: {"partitions": 3, "replication_factor": 3, "config": config} for name in names
    }
    started = time.monotonic()
    assert converge(kafka, parse_specs(declared), False, ["nowhere"]) == []
    # It takes less than 0.5 s on an idle host; the limit only detects quadratic behaviour.
    assert time.monotonic() - started < 20


def test_only_declared_keys_are_read():
    store = Kafka(ORDERS)
    converge(store, [Spec("orders", config={"retention.ms": "5"})], dry=True)
    assert store.keys == {"retention.ms"}
