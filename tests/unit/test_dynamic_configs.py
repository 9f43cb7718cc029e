"""What becomes of a declared, changed or withdrawn setting of a running broker."""

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._kafka.dynamic_configs import (
    DEFAULT,
    FROM_FILE,
    ON_BROKER,
    ON_CLUSTER,
    Entry,
    Spec,
    difference,
    plan,
)
from ansible_collections.metal.kafka.plugins.module_utils._kafka.live_keys import live_texts, split

WEEK, DAY = "604800000", "86400000"


def entry(kind="INT", fixed=False, **levels):
    """A key with values by level; the highest is in force."""
    names = {"broker": ON_BROKER, "cluster": ON_CLUSTER, "file": FROM_FILE, "default": DEFAULT}
    found = {names[level]: value for level, value in levels.items()}
    text = next((found[source] for source in names.values() if source in found), None)
    return Entry(text, kind, found, fixed)


def threads(**levels):
    return {"num.io.threads": entry(default="8", **levels)}


def retention(hours="168", **levels):
    return {
        "log.retention.ms": entry("LONG", **levels),
        "log.retention.minutes": entry(fixed=True),
        "log.retention.hours": entry(fixed=True, default=hours),
    }


def steps(entries, live=None, previous=(), restarts=False):
    spec = Spec(1, live or {}, frozenset(previous), restarts)
    return [(step.key, step.value) for step in plan(spec, entries).steps]


def test_properties_are_split_by_what_needs_a_restart():
    static, live = split({"num.io.threads": 8, "log.dirs": "/a", "listeners": "x", "ssl.key": 1})
    assert (static, live) == (
        {"log.dirs": "/a", "listeners": "x", "ssl.key": 1},
        {"num.io.threads": 8},
    )


def test_live_values_become_text_and_none_is_no_spec():
    specs = {"log.preallocate": True, "log.cleanup.policy": ["compact", "delete"]}
    assert live_texts({**specs, "log.roll.ms": None, "broker.id": 1}) == {
        "log.preallocate": "true",
        "log.cleanup.policy": "compact,delete",
    }


@pytest.mark.parametrize(
    ("entries", "live", "done"),
    [
        (threads(), {"num.io.threads": "16"}, [("num.io.threads", "16")]),
        (threads(file="8"), {"num.io.threads": "8"}, []),
        (threads(file="8", broker="16"), {"num.io.threads": "16"}, []),
        # Somebody changed by hand what is declared.
        (threads(file="8", broker="4"), {"num.io.threads": "8"}, [("num.io.threads", "8")]),
        # The file changed since the broker started.
        (threads(file="8"), {"num.io.threads": "12"}, [("num.io.threads", "12")]),
        (
            {"log.cleanup.policy": entry("LIST", default="delete", broker="delete,compact")},
            {"log.cleanup.policy": "compact, delete"},
            [],
        ),
        (
            {"log.cleaner.min.cleanable.ratio": entry("DOUBLE", default="0.5")},
            {"log.cleaner.min.cleanable.ratio": "5e-1"},
            [],
        ),
    ],
)
def test_a_declared_value_is_set_where_another_is_in_force(entries, live, done):
    assert steps(entries, live) == done


@pytest.mark.parametrize(
    ("entries", "key", "done"),
    [
        (threads(broker="16"), "num.io.threads", [("num.io.threads", None)]),
        # The file that the broker started with would come forth again.
        (threads(broker="16", file="4"), "num.io.threads", [("num.io.threads", "8")]),
        (threads(file="4"), "num.io.threads", [("num.io.threads", "8")]),
        (threads(file="8"), "num.io.threads", []),
        (threads(broker="16", cluster="12"), "num.io.threads", [("num.io.threads", None)]),
        (threads(cluster="12", file="4"), "num.io.threads", []),
        # A key without a default of its own.
        (retention(broker=DAY), "log.retention.ms", [("log.retention.ms", None)]),
        (retention(file=DAY), "log.retention.ms", [("log.retention.ms", WEEK)]),
        (retention(hours="1", file=DAY), "log.retention.ms", [("log.retention.ms", "3600000")]),
        (retention(), "log.retention.ms", []),
    ],
)
def test_a_withdrawn_value_gives_way_to_that_of_a_fresh_broker(entries, key, done):
    assert steps(entries, previous=[key]) == done


def test_after_the_step_the_next_plan_is_empty():
    # Withdrawn, with the old file below: the default was set; the file no longer names the key.
    assert steps(threads(broker="8", file="4")) == []
    assert plan(Spec(1, {}), threads(broker="8", file="4")).foreign == ()
    assert plan(Spec(1, {}), retention(broker=WEEK, file=DAY)).foreign == ()


def test_a_default_that_was_set_goes_when_the_broker_has_started_anew():
    assert steps(threads(broker="8")) == [("num.io.threads", None)]
    assert steps(retention(broker=WEEK)) == [("log.retention.ms", None)]


def test_what_others_set_is_named_and_left_alone():
    entries = {**threads(broker="4"), "log.roll.ms": entry("LONG", cluster="9")}
    found = plan(Spec(2, {}), entries)
    assert found.steps == ()
    assert found.foreign == (
        "all brokers: log.roll.ms = 9 was set at run time and is not declared",
        "broker 2: num.io.threads = 4 was set at run time and is not declared",
    )


def test_a_secret_set_by_others_is_no_step():
    assert steps({"ssl.keystore.password": Entry(None, "PASSWORD", {})}) == []


@pytest.mark.parametrize(
    ("entries", "live", "previous", "done"),
    [
        # The file of the new start gives it.
        (threads(file="8"), {"num.io.threads": "16"}, [], []),
        (threads(file="4"), {}, ["num.io.threads"], []),
        # A value set at run time outlives the start.
        (threads(broker="8"), {"num.io.threads": "16"}, [], [("num.io.threads", "16")]),
        (threads(broker="4", file="4"), {}, ["num.io.threads"], [("num.io.threads", None)]),
        (retention(broker=DAY, file=DAY), {}, ["log.retention.ms"], [("log.retention.ms", None)]),
    ],
)
def test_a_dry_run_sees_a_broker_as_it_will_start(entries, live, previous, done):
    assert steps(entries, live, previous, restarts=True) == done


def test_a_key_that_this_version_cannot_change_waits_for_the_restart():
    found = plan(Spec(1, {"num.io.threads": "16"}), {"num.io.threads": entry(fixed=True)})
    assert found.steps == ()
    assert found.later == ("broker 1: its version of Kafka takes num.io.threads with a restart",)


def test_a_withdrawn_key_without_any_default_waits_for_the_restart():
    found = plan(Spec(1, {}, frozenset(["log.roll.ms"])), {"log.roll.ms": entry("LONG", file="5")})
    assert found.steps == ()
    assert found.later == ("broker 1: log.roll.ms gets its default with the next restart",)


def test_a_step_says_broker_key_and_both_values():
    entries = {**threads(file="8"), **retention(broker=DAY)}
    found = plan(Spec(3, {"num.io.threads": "16"}, frozenset(["log.retention.ms"])), entries)
    assert [str(step) for step in found.steps] == [
        "broker 3: num.io.threads 8 -> 16, no restart",
        f"broker 3: log.retention.ms {DAY} -> {WEEK} (no longer set), no restart",
    ]
    assert difference(found.steps) == {
        "before": {"broker 3": {"num.io.threads": "8", "log.retention.ms": DAY}},
        "after": {"broker 3": {"num.io.threads": "16", "log.retention.ms": WEEK}},
    }


CLIENTS = "listener.name.clients.max.connections"


def test_limits_of_one_listener_need_no_restart_and_other_settings_of_it_do():
    keys = {CLIENTS: 9, "listener.name.clients.max.connection.creation.rate": 5}
    other = {"listener.name.clients.sasl.enabled.mechanisms": "PLAIN", "listeners": "x"}
    assert split({**keys, **other}) == (other, keys)


@pytest.mark.parametrize(
    ("entries", "live", "previous", "done"),
    [
        # A broker does not list what is not set, and lists the rest as read-only.
        ({}, {CLIENTS: "900"}, [], [(CLIENTS, "900")]),
        ({CLIENTS: entry("UNKNOWN", fixed=True, file="900")}, {CLIENTS: "900"}, [], []),
        (
            {CLIENTS: entry("INT", fixed=True, file="900", broker="700")},
            {CLIENTS: "900"},
            [],
            [(CLIENTS, "900")],
        ),
        ({CLIENTS: entry(fixed=True, broker="900")}, {}, [CLIENTS], [(CLIENTS, None)]),
        # The file that the broker started with is in the way until it starts again.
        ({CLIENTS: entry(fixed=True, file="900")}, {}, [CLIENTS], [(CLIENTS, "2147483647")]),
        ({CLIENTS: entry(fixed=True, broker="2147483647")}, {}, [], [(CLIENTS, None)]),
    ],
)
def test_a_limit_of_one_listener_is_set_and_taken_back(entries, live, previous, done):
    assert steps(entries, live, previous) == done


def test_a_limit_of_a_listener_that_somebody_else_set_is_named():
    found = plan(Spec(1, {}), {CLIENTS: entry(fixed=True, broker="50")})
    assert found.foreign == (f"broker 1: {CLIENTS} = 50 was set at run time and is not declared",)
