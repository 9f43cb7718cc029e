import pytest
from kafka_metal_bench.plan import PlanError, Side, parse


def test_the_tables_of_the_role_are_a_plan_with_all_eight_rows(plain):
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


def test_every_knob_differs_between_its_sides_or_says_why_it_is_not_measured(plain):
    for knob in parse(plain).knobs:
        assert knob.a.label != knob.b.label, knob.id
        bare = [Side(label=side.label) == side for side in (knob.a, knob.b)]
        assert knob.not_measured or not all(bare), f"{knob.id} switches nothing"


def test_a_knob_that_is_changed_at_run_time_names_the_value_to_go_back_to(plain):
    for knob in parse(plain).knobs:
        assert knob.a.dynamic.keys() == knob.b.dynamic.keys(), knob.id


def test_what_tls_costs_is_measured(plain):
    (tls,) = (knob for knob in parse(plain).knobs if knob.id == "tls")
    assert (tls.a.tls, tls.b.tls, tls.not_measured) == (False, True, "")


@pytest.mark.parametrize(
    ("part", "entry", "words"),
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
            "knob x: row 'latency' is latency; tls: a row of produce",
        ),
        (
            "knobs",
            {"id": "x", "title": "x", "row": "latency", "a": {"brokr": {}}},
            "side a: unknown",
        ),
    ],
)
def test_a_wrong_entry_is_refused_with_its_place(plain, part, entry, words):
    plain[part] = [*plain[part], entry]
    with pytest.raises(PlanError, match=words):
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
def test_brokers_start_anew_only_where_they_must(side, restarts):
    assert Side(**side).restarts is restarts
