import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.alerts import (
    MonitoringError,
    apply_site_changes,
    parse_alerts,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.monitoring_files import (
    read_alerts,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.rule_file import rule_document

DOWN = {
    "severity": "page",
    "expr": "up == $state",
    "for": "1m",
    "limits": {"state": 0},
    "summary": "{{ $labels.instance }} is down",
    "description": "It does\nnot answer.",
}
SLOW = {"severity": "ticket", "expr": "slow > 1", "summary": "s", "description": "d"}


NOT_STARTING = " unless on (cluster) kafka_metal:maintenance:all"


def only(**changes):
    entry = {**DOWN, **changes}
    return {"Down": {key: value for key, value in entry.items() if value is not None}}


def rules(entries, **options):
    return rule_document(parse_alerts(entries), {}, **options)["groups"][0]["rules"]


def test_alert_becomes_a_rule_with_limits_cluster_and_runbook():
    assert rules(only(), runbooks="https://wiki/kafka/") == [
        {
            "alert": "Down",
            "expr": f"(up == 0){NOT_STARTING}",
            "for": "1m",
            "labels": {"severity": "page"},
            "annotations": {
                "summary": "{{ with $labels.cluster }}{{ . }}: {{ end }}"
                "{{ $labels.instance }} is down",
                "description": "It does not answer.",
                "runbook": "https://wiki/kafka/Down.md",
            },
        }
    ]


def test_a_renamed_alert_has_its_old_name_as_a_label():
    assert rules(only(was="Gone"))[0]["labels"] == {"severity": "page", "was": "Gone"}


@pytest.mark.parametrize("change", [False, {"for": "5m"}, SLOW])
def test_an_old_name_is_refused_with_the_new_one(change):
    with pytest.raises(
        MonitoringError, match=r"^monitoring_alerts: found Gone; allowed: Down, its"
    ):
        apply_site_changes(only(was="Gone"), {"Gone": change})


def test_the_former_names_of_the_renamed_alerts_are_refused():
    entries = read_alerts()
    renamed = {alert.was: alert.name for alert in parse_alerts(entries) if alert.was}
    assert renamed == {
        "EngineSilent": "ContainerEngineUnreachable",
        "EnsembleServerDown": "ZooKeeperServerDown",
        "EnsembleSlow": "ZooKeeperSlow",
        "EnsembleWithoutQuorum": "ZooKeeperWithoutQuorum",
        "MaintenanceForgotten": "MaintenanceMarkerExpired",
    }
    for old, new in renamed.items():
        with pytest.raises(
            MonitoringError, match=f"monitoring_alerts: found {old}; allowed: {new},"
        ):
            apply_site_changes(entries, {old: False})


@pytest.mark.parametrize(
    ("of", "on"),
    [
        ("instance", "cluster, instance"),
        ("host", "cluster, host"),
        ("cluster", "cluster"),
    ],
)
def test_alert_is_silenced_for_stopped_instances(of, on):
    assert rules(only(maintenance=of))[0]["expr"] == (
        f"(up == 0){NOT_STARTING} unless on ({on}) kafka_metal:maintenance:{of}"
    )


def test_alert_without_maintenance_is_silenced_only_while_the_whole_cluster_starts():
    assert rules(only())[0]["expr"] == f"(up == 0){NOT_STARTING}"


def test_what_no_operation_causes_keeps_its_time_while_the_whole_cluster_starts():
    assert rules(only(maintenance="never"))[0]["expr"] == "(up == 0)"
    (clock,) = (each for each in rules(read_alerts()) if each["alert"] == "ClockUnsynchronised")
    assert NOT_STARTING not in clock["expr"]


def test_a_heartbeat_is_never_silenced():
    assert rules(only(severity="heartbeat"))[0]["expr"] == "up == 0"


def test_an_alert_does_not_fire_with_its_causes_or_soon_after_them():
    entries = {
        **only(inhibits=["Slow"]),
        "Hung": {**SLOW, "inhibits": ["Slow"], "equal": ["cluster", "host"]},
        "Late": {**SLOW, "inhibits": ["Slow", "Hung"]},
        "Slow": SLOW,
    }
    assert rules(entries)[3]["expr"] == (
        f"(slow > 1){NOT_STARTING} unless on (cluster) "
        'max_over_time(ALERTS{alertname=~"Down|Late",alertstate="firing"}[2m]) '
        "unless on (cluster, host) "
        'max_over_time(ALERTS{alertname=~"Hung",alertstate="firing"}[2m])'
    )


def test_recording_rules_come_before_alerts():
    document = rule_document(parse_alerts(only()), {"a:b": "sum(c)"})
    assert document["groups"][0]["rules"][0] == {"record": "a:b", "expr": "sum(c)"}


@pytest.mark.parametrize(
    ("entries", "blocker"),
    [
        (only(severity="urgent"), ".severity: found urgent; allowed: page, ticket, heartbeat"),
        (only(maintenance="quiet"), ".maintenance: found quiet; allowed: "),
        (only(summary=None), ": found no summary; required: severity, expr, summary, desc"),
        (only(expr=None), ": found no expr; required: "),
        ({"Down": {**DOWN, "for": "soon"}}, ".for: found soon; allowed: a duration such as"),
        (only(limits={}), ".limits: found none; required: the limits in expr, state"),
        (only(limits={"state": 0, "other": 1}), ".limits: found other, state; required: "),
        (only(limits={"state": "zero"}), ".limits.state: found 'zero'; allowed: a number"),
        (only(runbook="x"), ": found key runbook; allowed: description, equal"),
        (only(inhibits=["Up"]), ".inhibits: found Up; allowed: names of other alerts"),
        (only(inhibits=["Down"]), ".inhibits: found Down; allowed: names of other alerts"),
        (only(inhibits=["Gone"]) | {"Slow": {**SLOW, "was": "Gone"}}, "allowed: Slow, its new"),
        (only(was=["Up"]), ".was: found ['Up']; allowed: a name in CamelCase"),
        (only(was="Slow") | {"Slow": SLOW}, ".was: found Slow, which is an alert; allowed: "),
        ({"down": DOWN}, ": found 'down'; allowed: a name in CamelCase"),
        ({"Down": "up == 0"}, ": found 'up == 0'; allowed: a mapping of"),
    ],
)
def test_invalid_alert_is_refused_by_name(entries, blocker):
    with pytest.raises(MonitoringError) as error:
        parse_alerts(entries)
    assert blocker in str(error.value)
    assert str(error.value).startswith("monitoring_alerts")
    assert "down" in str(error.value).lower()


def test_changed_limit_keeps_other_limits():
    entries = {"Down": {**DOWN, "expr": "up == $state + $more", "limits": {"state": 0, "more": 1}}}
    changed = apply_site_changes(entries, {"Down": {"limits": {"more": 2}, "for": "5m"}})
    assert rules(changed)[0]["expr"] == f"(up == 0 + 2){NOT_STARTING}"
    assert rules(changed)[0]["for"] == "5m"


def test_removed_alert_is_removed_from_inhibitions():
    entries = {"Down": {**DOWN, "inhibits": ["Slow"]}, "Slow": SLOW}
    (alert,) = parse_alerts(apply_site_changes(entries, {"Slow": False}))
    assert alert.inhibits == ()


def test_site_can_add_an_alert():
    assert [alert.name for alert in parse_alerts(apply_site_changes(only(), {"Slow": SLOW}))] == [
        "Down",
        "Slow",
    ]


@pytest.mark.parametrize(
    ("changes", "blocker"),
    [
        ({"Up": False}, "Up: found false, but no such alert exists; allowed: names of existing"),
        ({"Down": {"limits": {"stat": 1}}}, "Down.limits: found stat; allowed: state"),
        ({"Down": "later"}, "Down: found 'later'; allowed: a mapping of the keys to change, or"),
    ],
)
def test_change_of_unknown_alert_or_limit_is_refused(changes, blocker):
    with pytest.raises(MonitoringError, match=r"^monitoring_alerts\.") as error:
        apply_site_changes(only(), changes)
    assert blocker in str(error.value)


def test_limit_is_a_valid_promql_number():
    for limit, written in ((0.05, "0.05"), (5, "5"), (1000000.0, "1e+06")):
        entries = only(limits={"state": limit})
        assert rules(entries)[0]["expr"] == f"(up == {written}){NOT_STARTING}"


def test_alerts_about_one_instance_keep_the_host_label():
    lost = [
        alert.name
        for alert in parse_alerts(read_alerts())
        if "instance" in alert.expr and "by (" in alert.expr and "host" not in alert.expr
    ]
    assert lost == []
