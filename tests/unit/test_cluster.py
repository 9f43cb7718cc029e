"""The client wrapper without a cluster: what it makes of answers, and of none."""

import logging
import socket
import time
from types import SimpleNamespace

import pytest
from ansible_collections.metal.kafka.plugins.module_utils import cluster as wrapper
from ansible_collections.metal.kafka.plugins.module_utils.endpoint import address
from ansible_collections.metal.kafka.plugins.module_utils.state import NOBODY, Partition
from ansible_collections.metal.kafka.plugins.module_utils.topic import (
    Configure,
    Create,
    Delete,
    Grow,
    Wish,
)
from ansible_collections.metal.kafka.plugins.module_utils.waiting import Deadline
from kafka.errors import (
    NotControllerError,
    NotLeaderForPartitionError,
    TopicAuthorizationFailedError,
)


@pytest.fixture
def refused():
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    return f"127.0.0.1:{port}"


def test_nobody_listening_is_said_at_once_with_every_address(refused):
    begun = time.monotonic()
    with pytest.raises(wrapper.ClusterError) as error:
        wrapper.Connection([refused, "nowhere.invalid:9092"], {}, timeout=8)
    assert time.monotonic() - begun < 3
    assert f"no broker listens: {refused}: Connection refused; nowhere.invalid:" in str(error.value)


def test_a_listener_that_never_answers_is_given_up_in_time(refused):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        begun = time.monotonic()
        with pytest.raises(wrapper.ClusterError, match=f"no broker answers: {address}: "):
            wrapper.Connection([refused, address], {}, timeout=1)
        assert time.monotonic() - begun < 2


@pytest.mark.parametrize("server", ["kafka1", "kafka1:", "kafka1:port"])
def test_an_address_without_a_port_is_refused_by_name(server):
    with pytest.raises(wrapper.ClusterError, match=f"'{server}' is not of the form host:port"):
        wrapper.Connection([server], {}, timeout=1)


def test_an_empty_list_of_servers_is_an_error():
    with pytest.raises(wrapper.ClusterError, match="no bootstrap server is given"):
        wrapper.Connection([], {}, timeout=1)


def test_an_unknown_setting_of_the_client_is_named(refused):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(wrapper.ClusterError, match="sasl_mechanisms"):
            wrapper.Connection([address], {"sasl_mechanisms": "PLAIN"}, timeout=1)


def test_addresses_may_be_of_the_sixth_version():
    assert address("[::1]:9092") == ("::1", 9092)


def test_the_librarys_log_stays_out_of_the_output(capfd, caplog):
    words = wrapper.quiet()
    logging.getLogger("kafka.net.manager").warning("Bootstrap failed: %s", "no")
    assert words.text == "Bootstrap failed: no"
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []


def connection(**answers):
    """A connection whose client gives prepared answers: values, or one after the other."""
    made = wrapper.TopicConnection.__new__(wrapper.TopicConnection)
    made.admin = SimpleNamespace(**answers)
    made.timeout, made.batch, made.patience = 1, 50, 0.25
    made.deadline = Deadline(1)
    return made


def in_turn(*answers):
    left = list(answers)

    def answer(*_args, **_keys):
        found = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(found, Exception):
            raise found
        return found

    return answer


def test_a_question_is_asked_again_while_the_controller_moves():
    question = in_turn(NotControllerError(), RuntimeError("no controller"), "answer")
    assert connection().ask("x", question) == "answer"


def test_a_refusal_is_told_with_the_question_and_not_asked_again():
    with pytest.raises(wrapper.ClusterError, match=r"metadata of topics: .*not allowed"):
        connection().ask(
            "metadata of topics", in_turn(TopicAuthorizationFailedError("not allowed"), "answer")
        )


def test_a_question_without_an_answer_ends_at_the_deadline():
    made = connection()
    made.deadline = Deadline(0.2)
    begun = time.monotonic()
    with pytest.raises(wrapper.ClusterError, match=r"^x: "):
        made.ask("x", in_turn(NotControllerError("moved")))
    assert time.monotonic() - begun < 2


def described(name, *leaders, error=0):
    return {
        "name": name,
        "error_code": error,
        "partitions": [
            {
                "partition_index": number,
                "leader_id": leader,
                "replica_nodes": [2, 1],
                "isr_nodes": [1],
            }
            for number, leader in reversed(list(enumerate(leaders)))
        ],
    }


def test_metadata_becomes_partitions_in_order():
    moving = {("a", 1): {"adding_replicas": [2]}}
    assert wrapper.partitions_of(described("a", 1, NOBODY), moving) == [
        Partition("a", 0, 1, (2, 1), (1,)),
        Partition("a", 1, NOBODY, (2, 1), (1,), (2,)),
    ]


def test_a_topic_that_is_being_deleted_is_left_out():
    made = connection(describe_topics=in_turn([described("b", 1), described("a", 1, error=3)]))
    assert [topic["name"] for topic in made.describe_topics()] == ["b"]


def test_only_keys_set_on_the_topic_itself_are_read():
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
        describe_topics=in_turn([described("a", 1, 1), described("other", 1)]),
        describe_configs=in_turn({"topic": configs}),
    )
    found = made.read_topics(["a", "missing"])
    assert list(found) == ["a"]
    assert (found["a"].partitions, found["a"].replicas) == (2, {2})
    assert {key: value.text for key, value in found["a"].config.items()} == {"retention.ms": "5"}


def test_a_thousand_topics_are_read_in_two_requests():
    asked = []

    def noted(name, answer):
        def ask(*_args, **_keys):
            asked.append(name)
            return answer

        return ask

    names = [f"t{number}" for number in range(1000)]
    made = connection(
        describe_topics=noted("topics", [described(name, 1, 2, 1) for name in names]),
        describe_configs=noted("configs", {"topic": {name: {} for name in names}}),
    )
    found = made.read_topics(names)
    assert len(found) == 1000
    assert found["t7"].placement == ((2, 1),) * 3
    assert asked == ["topics", "configs"]


def test_a_topic_is_gone_when_the_last_broker_has_forgotten_it():
    looks = []

    def views(topics):
        looks.append(list(topics))
        return [{}, {"a": {}}] if len(looks) < 3 else [{}, {}]

    made = connection(
        delete_topics=in_turn(
            {
                "topics": [
                    {"name": "a", "error_code": 0, "error_message": None},
                    # Somebody else was quicker.
                    {"name": "b", "error_code": 3, "error_message": None},
                    {"name": "c", "error_code": 73, "error_message": "deletion is off"},
                ]
            }
        ),
    )
    made.views = views
    steps = [Delete(name, 1) for name in "abc"]
    assert made.delete_topics(steps, dry=True) == {}
    assert looks == []
    assert made.delete_topics(steps, dry=False) == {"c": "deletion is off"}
    assert looks == [["a", "b"], ["a"], ["a"]]


def test_a_topic_that_a_broker_keeps_is_told():
    made = connection(delete_topics=in_turn({"topics": [{"name": "a", "error_code": 0}]}))
    made.timeout, made.views = 0.2, lambda _: [{"a": {}}]
    assert made.delete_topics([Delete("a", 1)], dry=False) == {"a": "is still there after 0.2 s"}


def test_declared_brokers_are_those_that_kafka_is_told():
    asked = {}

    def answer(wanted, **_keys):
        asked.update(wanted)
        return SimpleNamespace(to_dict=lambda: {"results": []})

    made = connection(create_partitions=answer)
    made.grow_topics([Grow("a", 1, 3, ((2, 1), (3, 2))), Grow("b", 1, 2)], dry=True)
    assert asked == {"a": {"count": 3, "assignments": [[2, 1], [3, 2]]}, "b": 2}
    assert wrapper.numbers_of(Wish("a", 2, 2, placement=((1, 2), (2, 1)))) == {
        "assignments": {0: [1, 2], 1: [2, 1]}
    }


def test_creation_waits_for_the_broker_that_lags_behind_most():
    made = connection(
        create_topics=in_turn({"topics": [{"name": "a", "error_code": 0}]}),
    )
    looks = []

    def metadata(broker, topics):
        looks.append(broker)
        late = broker == 2 and looks.count(2) < 3
        return {} if late else {"a": described("a", 1, 2)}

    made.known_brokers = lambda: [1, 2]
    made.metadata = metadata
    assert made.create_topics([Create(Wish("a", 2))], dry=False) == {}
    assert looks.count(2) == 3


@pytest.mark.parametrize(("code", "refused"), [(36, {}), (7, {}), (40, {"a": "Unknown key"})])
def test_a_topic_that_exists_or_is_slow_to_come_is_no_refusal(code, refused):
    made = connection(
        create_topics=in_turn(
            {"topics": [{"name": "a", "error_code": code, "error_message": "Unknown key"}]}
        )
    )
    made.known_brokers = lambda: [1]
    # A topic that was refused never appears, and nobody waits for it.
    made.metadata = lambda broker, topics: {} if refused else {"a": described("a", 1)}
    assert made.create_topics([Create(Wish("a", 1))], dry=False) == refused


def test_a_partition_that_gets_no_leader_is_told_after_the_timeout():
    made = connection(create_topics=in_turn({"topics": [{"name": "a", "error_code": 0}]}))
    made.timeout = 0.2
    made.known_brokers = lambda: [1]
    made.metadata = lambda broker, topics: {"a": described("a", 1, NOBODY)}
    assert made.create_topics([Create(Wish("a", 2))], dry=False) == {
        "a": "1 of 2 partitions have a leader after 0.2 s"
    }


def kept(text):
    return {"retention.ms": {"value": text, "config_source": "DYNAMIC_TOPIC_CONFIG"}}


CHANGE = Configure("a", {"retention.ms": "5"}, {"retention.ms": "6"})


def test_a_changed_key_is_waited_for_until_the_cluster_tells_it():
    looks = []

    def describe(*_args, **_keys):
        looks.append(1)
        return {"topic": {"a": kept("6" if len(looks) > 2 else "5")}}

    made = connection(
        alter_configs=in_turn({"topic": {"a": "OK"}}),
        describe_topics=in_turn([described("a", 1)]),
        describe_configs=describe,
    )
    assert made.configure_topics([CHANGE], dry=False) == {}
    assert len(looks) == 3


def test_a_changed_key_that_never_comes_into_force_is_told():
    made = connection(
        alter_configs=in_turn({"topic": {"a": "OK"}}),
        describe_topics=in_turn([described("a", 1)]),
        describe_configs=in_turn({"topic": {"a": kept("5")}}),
    )
    made.timeout = 0.2
    assert made.configure_topics([CHANGE], dry=False) == {"a": "not in force after 0.2 s"}


def test_a_refused_key_is_told_in_kafkas_words_and_not_waited_for():
    said = "[Error 40] InvalidConfigurationError: Unknown topic config name: retentoin.ms"
    made = connection(alter_configs=in_turn({"topic": {"a": said}}))
    assert made.configure_topics([CHANGE], dry=False) == {
        "a": "Unknown topic config name: retentoin.ms"
    }


def test_a_dry_creation_waits_for_nothing():
    made = connection(create_topics=in_turn({"topics": [{"name": "a", "error_code": 0}]}))
    made.known_brokers = None
    assert made.create_topics([Create(Wish("a", 2))], dry=True) == {}


def elections(parts, offsets=dict):
    """Sizes of the batches in which a connection has leaders elected, and what it asked between."""
    asked = []

    def elect(_, wanted, **_keys):
        asked.append(("elect", sum(map(len, wanted.values()))))

    def look(wanted, **_keys):
        asked.append(("look", len(wanted)))
        return offsets()

    connection(elect_leaders=elect, list_partition_offsets=look).elect(parts)
    return asked


def orders(count):
    return [Partition("orders", number, 2, (1, 2), (1, 2)) for number in range(count)]


def test_a_batch_is_served_before_the_next_one_is_elected():
    """A cold leader would otherwise keep all batches waiting for its first."""
    assert elections(orders(7)) == [
        *(("elect", 1), ("look", 1), ("elect", 4), ("look", 4), ("elect", 2), ("look", 2)),
    ]


def test_a_broker_that_does_not_come_to_lead_is_waited_for_once():
    def nobody_leads():
        raise NotLeaderForPartitionError("orders-0")

    assert elections(orders(7), nobody_leads) == [("elect", 1), ("look", 1), ("elect", 6)]


@pytest.mark.parametrize(
    ("size", "took", "wanted"),
    [(1, 0.01, 4), (4, 0.25, 8), (16, 0.5, 16), (16, 2.0, 4), (1, 9.0, 1), (8, 0.0, 32)],
)
def test_a_batch_is_as_large_as_the_one_before_allows(size, took, wanted):
    assert wrapper.next_batch(size, took) == wanted


def test_elections_begin_with_kafkas_own_topics_and_lose_none():
    """What a cold broker does for the first time costs nobody who writes."""
    names = [("orders", number) for number in range(30)] + [("__consumer_offsets", 7)]
    parts = [Partition(topic, number, 2, (1, 2), (1, 2)) for topic, number in names]

    ordered = [(part.topic, part.id) for part in wrapper.warm_up_first(parts)]

    assert ordered == [("__consumer_offsets", 7), *names[:30]]
