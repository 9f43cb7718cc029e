import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.alerts import (
    MonitoringError,
    adjusted,
    alerts_of,
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


def only(**changes):
    entry = {**DOWN, **changes}
    return {"Down": {key: value for key, value in entry.items() if value is not None}}


def rules(entries, **options):
    return rule_document(alerts_of(entries), {}, **options)["groups"][0]["rules"]


def test_an_alert_becomes_a_rule_with_its_limits_its_cluster_and_its_runbook():
    assert rules(only(), runbooks="https://wiki/kafka/") == [
        {
            "alert": "Down",
            "expr": "up == 0",
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
    with pytest.raises(MonitoringError, match=r"^alert Gone: is now named Down; use that name$"):
        adjusted(only(was="Gone"), {"Gone": change})


def test_the_former_names_of_the_renamed_alerts_are_refused():
    entries = read_alerts()
    renamed = {alert.was: alert.name for alert in alerts_of(entries) if alert.was}
    assert renamed == {
        "EngineSilent": "ContainerEngineUnreachable",
        "EnsembleServerDown": "ZooKeeperServerDown",
        "EnsembleSlow": "ZooKeeperSlow",
        "EnsembleWithoutQuorum": "ZooKeeperWithoutQuorum",
        "MaintenanceForgotten": "MaintenanceMarkerExpired",
    }
    for old, new in renamed.items():
        with pytest.raises(MonitoringError, match=f"alert {old}: is now named {new}"):
            adjusted(entries, {old: False})


@pytest.mark.parametrize(
    ("of", "on"),
    [
        ("instance", "cluster, instance"),
        ("host", "cluster, host"),
        ("cluster", "cluster"),
    ],
)
def test_an_alert_is_silent_for_what_an_operation_has_stopped(of, on):
    assert rules(only(maintenance=of))[0]["expr"] == (
        f"(up == 0) unless on ({on}) kafka_metal:maintenance:{of}"
    )


def test_an_alert_without_maintenance_is_never_silent():
    assert rules(only())[0]["expr"] == "up == 0"


def test_records_are_evaluated_before_the_alerts_that_read_them():
    document = rule_document(alerts_of(only()), {"a:b": "sum(c)"})
    assert document["groups"][0]["rules"][0] == {"record": "a:b", "expr": "sum(c)"}


@pytest.mark.parametrize(
    ("entries", "blocker"),
    [
        (only(severity="urgent"), "severity urgent is none of"),
        (only(maintenance="quiet"), "maintenance quiet is none of"),
        (only(summary=None), "has no summary"),
        (only(expr=None), "has no expr"),
        ({"Down": {**DOWN, "for": "soon"}}, "for soon is no duration"),
        (only(limits={}), "uses limits ['state'] and has []"),
        (only(limits={"state": 0, "other": 1}), "has ['other', 'state']"),
        (only(limits={"state": "zero"}), "limit state is no number: 'zero'"),
        (only(runbook="x"), "unknown key runbook"),
        (only(inhibits=["Up"]), "inhibits Up, no other alert"),
        (only(inhibits=["Down"]), "inhibits Down, no other alert"),
        (only(inhibits=["Gone"]) | {"Slow": {**SLOW, "was": "Gone"}}, "is now named Slow"),
        (only(was=["Up"]), "was ['Up'] is no name of an alert"),
        (only(was="Slow") | {"Slow": SLOW}, "was Slow, which is declared too"),
        ({"down": DOWN}, "begin with a capital"),
        ({"Down": "up == 0"}, "must be a mapping"),
    ],
)
def test_a_declaration_that_cannot_be_is_refused_by_name(entries, blocker):
    with pytest.raises(MonitoringError) as error:
        alerts_of(entries)
    assert blocker in str(error.value)
    assert "down" in str(error.value).lower()


def test_a_site_changes_a_limit_and_leaves_the_others():
    entries = {"Down": {**DOWN, "expr": "up == $state + $more", "limits": {"state": 0, "more": 1}}}
    changed = adjusted(entries, {"Down": {"limits": {"more": 2}, "for": "5m"}})
    assert rules(changed)[0]["expr"] == "up == 0 + 2"
    assert rules(changed)[0]["for"] == "5m"


def test_an_alert_that_a_site_leaves_out_is_inhibited_by_nobody():
    entries = {"Down": {**DOWN, "inhibits": ["Slow"]}, "Slow": SLOW}
    (alert,) = alerts_of(adjusted(entries, {"Slow": False}))
    assert alert.inhibits == ()


def test_a_site_adds_an_alert_of_its_own():
    assert [alert.name for alert in alerts_of(adjusted(only(), {"Slow": SLOW}))] == ["Down", "Slow"]


@pytest.mark.parametrize(
    ("changes", "blocker"),
    [
        ({"Up": False}, "Up: there is none that could be left out"),
        ({"Down": {"limits": {"stat": 1}}}, "Down: no limit stat; limits: ['state']"),
        ({"Down": "later"}, "Down: a change is a mapping"),
    ],
)
def test_a_change_of_what_is_not_there_is_refused(changes, blocker):
    with pytest.raises(MonitoringError, match=r"^alert ") as error:
        adjusted(only(), changes)
    assert blocker in str(error.value)


def test_a_limit_is_written_as_a_number_promql_reads():
    for limit, written in ((0.05, "0.05"), (5, "5"), (1000000.0, "1e+06")):
        entries = only(limits={"state": limit})
        assert rules(entries)[0]["expr"] == f"up == {written}"


def test_alerts_about_one_instance_keep_the_name_of_its_machine():
    lost = [
        alert.name
        for alert in alerts_of(read_alerts())
        if "instance" in alert.expr and "by (" in alert.expr and "host" not in alert.expr
    ]
    assert lost == []
