import pytest
from kafka_metal_bench.plan import PlanError, Side, parse


def test_the_plan_of_the_role_has_eight_rows_and_three_variants(plain):
    plan = parse(plain)
    assert [(row.id, row.kind, row.clients, row.replicas, row.acks) for row in plan.rows] == [
        ("one_producer", "produce", 1, 1, "1"),
        ("three_async", "produce", 1, 3, "1"),
        ("three_sync", "produce", 1, 3, "all"),
        ("three_producers", "produce", 3, 3, "1"),
        ("one_consumer", "consume", 1, 3, "1"),
        ("three_consumers", "consume", 3, 3, "1"),
        ("latency", "latency", 1, 3, "all"),
        ("growth", "growth", 1, 1, "1"),
    ]
    assert [variant.run for variant in plan.variants] == ["container", "process", "published"]


def test_knobs_have_different_sides_or_a_reason(plain):
    for knob in parse(plain).knobs:
        assert knob.a.label != knob.b.label, knob.id
        bare = [Side(label=side.label) == side for side in (knob.a, knob.b)]
        assert knob.not_measured or not all(bare), f"{knob.id} changes nothing"


def test_dynamic_knobs_have_the_same_keys_on_both_sides(plain):
    for knob in parse(plain).knobs:
        assert knob.a.dynamic.keys() == knob.b.dynamic.keys(), knob.id


def test_the_cost_of_tls_is_measured(plain):
    (tls,) = (knob for knob in parse(plain).knobs if knob.id == "tls")
    assert (tls.a.tls, tls.b.tls, tls.not_measured) == (False, True, "")


@pytest.mark.parametrize(
    ("part", "entry", "message"),
    [
        ("rows", {"id": "x", "title": "x", "kind": "produec"}, "row x: kind 'produec'; allowed"),
        ("rows", {"id": "x", "title": "x", "kind": "consume"}, "row x: reads ''"),
        ("rows", {"id": "x", "title": "x"}, "row x: .*kind"),
        ("rows", {"id": "x", "titel": "x"}, "row x: unknown titel; known: "),
        ("variants", {"id": "x", "title": "x", "run": "vm"}, "variant x: run 'vm'; allowed"),
        ("knobs", {"id": "x", "title": "x", "row": "none"}, "knob x: row 'none'; allowed"),
        (
            "knobs",
            {"id": "x", "title": "x", "row": "latency", "b": {"tls": True}},
            "knob x: row 'latency' is latency; tls requires a row of kind produce",
        ),
        (
            "knobs",
            {"id": "x", "title": "x", "row": "latency", "a": {"brokr": {}}},
            "side a: unknown",
        ),
    ],
)
def test_errors_name_the_invalid_entry(plain, part, entry, message):
    plain[part] = [*plain[part], entry]
    with pytest.raises(PlanError, match=message):
        parse(plain)


@pytest.mark.parametrize(
    ("side", "restarts"),
    [
        ({"producer": {"linger.ms": "5"}}, False),
        ({"topic": {"flush.messages": "1"}}, False),
        ({"dynamic": {"num.io.threads": "4"}}, False),
        ({"kernel": {"/proc/sys/vm/swappiness": "1"}}, False),
        ({"broker": {"socket.send.buffer.bytes": "1"}}, True),
        ({"environment": {"KAFKA_HEAP": "1g"}}, True),
        ({"storage": {"fs": "xfs"}}, True),
        ({"memory": "1g"}, True),
        ({"tls": True}, True),
        ({"restart": True}, True),
    ],
)
def test_only_some_changes_restart_brokers(side, restarts):
    assert Side(**side).restarts is restarts
