"""Plans for declared, changed and removed settings of a running broker."""

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
from ansible_collections.metal.kafka.plugins.module_utils._kafka.live_keys import (
    live_texts,
    split_by_restart,
)

WEEK, DAY = "604800000", "86400000"


def entry(kind="INT", fixed=False, **levels):
    """A key with values by source; the first source is effective."""
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


def test_properties_are_split_by_need_of_a_restart():
    static, live = split_by_restart(
        {"num.io.threads": 8, "log.dirs": "/a", "listeners": "x", "ssl.key": 1}
    )
    assert (static, live) == (
        {"log.dirs": "/a", "listeners": "x", "ssl.key": 1},
        {"num.io.threads": 8},
    )


def test_live_values_are_text_and_none_is_omitted():
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
        # A declared value was changed by hand.
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
def test_declared_value_replaces_another_value(entries, live, done):
    assert steps(entries, live) == done


@pytest.mark.parametrize(
    ("entries", "key", "done"),
    [
        (threads(broker="16"), "num.io.threads", [("num.io.threads", None)]),
        # Without the dynamic value, the broker's old file would apply.
        (threads(broker="16", file="4"), "num.io.threads", [("num.io.threads", "8")]),
        (threads(file="4"), "num.io.threads", [("num.io.threads", "8")]),
        (threads(file="8"), "num.io.threads", []),
        (threads(broker="16", cluster="12"), "num.io.threads", [("num.io.threads", None)]),
        (threads(cluster="12", file="4"), "num.io.threads", []),
        # The default comes from a key in another unit.
        (retention(broker=DAY), "log.retention.ms", [("log.retention.ms", None)]),
        (retention(file=DAY), "log.retention.ms", [("log.retention.ms", WEEK)]),
        (retention(hours="1", file=DAY), "log.retention.ms", [("log.retention.ms", "3600000")]),
        (retention(), "log.retention.ms", []),
    ],
)
def test_removed_key_returns_to_the_value_of_a_new_broker(entries, key, done):
    assert steps(entries, previous=[key]) == done


def test_next_plan_is_empty():
    # The default was set, because the broker still has its old file.
    assert steps(threads(broker="8", file="4")) == []
    assert plan(Spec(1, {}), threads(broker="8", file="4")).foreign == ()
    assert plan(Spec(1, {}), retention(broker=WEEK, file=DAY)).foreign == ()


def test_dynamic_default_is_removed_after_the_restart():
    assert steps(threads(broker="8")) == [("num.io.threads", None)]
    assert steps(retention(broker=WEEK)) == [("log.retention.ms", None)]


def test_foreign_values_are_reported_and_kept():
    entries = {**threads(broker="4"), "log.roll.ms": entry("LONG", cluster="9")}
    found = plan(Spec(2, {}), entries)
    assert found.steps == ()
    assert found.foreign == (
        "all brokers: log.roll.ms = 9 was set at run time and is not declared",
        "broker 2: num.io.threads = 4 was set at run time and is not declared",
    )


def test_foreign_secret_is_ignored():
    assert steps({"ssl.keystore.password": Entry(None, "PASSWORD", {})}) == []


@pytest.mark.parametrize(
    ("entries", "live", "previous", "done"),
    [
        # The new file applies after the restart.
        (threads(file="8"), {"num.io.threads": "16"}, [], []),
        (threads(file="4"), {}, ["num.io.threads"], []),
        # Dynamic values survive the restart.
        (threads(broker="8"), {"num.io.threads": "16"}, [], [("num.io.threads", "16")]),
        (threads(broker="4", file="4"), {}, ["num.io.threads"], [("num.io.threads", None)]),
        (retention(broker=DAY, file=DAY), {}, ["log.retention.ms"], [("log.retention.ms", None)]),
    ],
)
def test_dry_run_plans_for_a_restarted_broker(entries, live, previous, done):
    assert steps(entries, live, previous, restarts=True) == done


def test_read_only_key_needs_a_restart():
    found = plan(Spec(1, {"num.io.threads": "16"}), {"num.io.threads": entry(fixed=True)})
    assert found.steps == ()
    assert found.later == ("broker 1: its Kafka version changes num.io.threads by a restart only",)


def test_removed_key_without_a_default_needs_a_restart():
    found = plan(Spec(1, {}, frozenset(["log.roll.ms"])), {"log.roll.ms": entry("LONG", file="5")})
    assert found.steps == ()
    assert found.later == ("broker 1: log.roll.ms returns to its default at next restart",)


def test_step_names_broker_key_and_both_values():
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


def test_only_limits_of_a_listener_are_live():
    keys = {CLIENTS: 9, "listener.name.clients.max.connection.creation.rate": 5}
    other = {"listener.name.clients.sasl.enabled.mechanisms": "PLAIN", "listeners": "x"}
    assert split_by_restart({**keys, **other}) == (other, keys)


@pytest.mark.parametrize(
    ("entries", "live", "previous", "done"),
    [
        # Brokers list only limits that are set, as read-only keys.
        ({}, {CLIENTS: "900"}, [], [(CLIENTS, "900")]),
        ({CLIENTS: entry("UNKNOWN", fixed=True, file="900")}, {CLIENTS: "900"}, [], []),
        (
            {CLIENTS: entry("INT", fixed=True, file="900", broker="700")},
            {CLIENTS: "900"},
            [],
            [(CLIENTS, "900")],
        ),
        ({CLIENTS: entry(fixed=True, broker="900")}, {}, [CLIENTS], [(CLIENTS, None)]),
        # The old file applies until the restart, so the limit is overridden.
        ({CLIENTS: entry(fixed=True, file="900")}, {}, [CLIENTS], [(CLIENTS, "2147483647")]),
        ({CLIENTS: entry(fixed=True, broker="2147483647")}, {}, [], [(CLIENTS, None)]),
    ],
)
def test_limit_of_a_listener_is_set_and_reset(entries, live, previous, done):
    assert steps(entries, live, previous) == done


def test_foreign_limit_of_a_listener_is_reported():
    found = plan(Spec(1, {}), {CLIENTS: entry(fixed=True, broker="50")})
    assert found.foreign == (f"broker 1: {CLIENTS} = 50 was set at run time and is not declared",)
