"""Problems are merged with alerts, and arranged: causes first, then what follows from them."""

from ansible_collections.metal.kafka.plugins.module_utils._problems import problem_kinds
from ansible_collections.metal.kafka.plugins.module_utils._problems.arrangement import (
    Places,
    arrange,
    as_list,
    count,
)
from ansible_collections.metal.kafka.plugins.module_utils._problems.platform_problem import (
    Problem,
    from_dict,
)

PLACES = Places(
    machines={"zk1": "n1", "kafka1": "n1", "kafka2": "n2", "m1": "n2", "pipeline-p": "n3"},
    services={
        "zk1": "zookeeper", "kafka1": "kafka", "kafka2": "kafka", "m1": "spark_master",
        "pipeline-p": "pipeline",
    },
    order=("zookeeper", "kafka", "spark_master", "pipeline"),
)  # fmt: skip


def problem(kind, where="", **more):
    return Problem(kind, where, more.pop("text", f"{kind} at {where}"), **more)


def tree(*problems):
    """Return each cause with what follows from it, as kind@where."""
    return [
        [f"{each.kind}@{each.where}" for each in (found.problem, *found.effects)]
        for found in arrange(problems, PLACES)
    ]


def test_a_stopped_broker_explains_partitions_that_are_not_in_sync():
    assert tree(
        problem("PartitionsUnderReplicated", "kafka"),
        problem("ServiceDown", "kafka2"),
        problem("ContainerStopped", "kafka2"),
    ) == [["ContainerStopped@kafka2", "ServiceDown@kafka2", "PartitionsUnderReplicated@kafka"]]


def test_a_machine_explains_all_its_services_and_no_other():
    assert tree(
        problem("ServiceDown", "kafka1"),
        problem("ServiceDown", "zk1"),
        problem("ServiceDown", "kafka2"),
        problem("MachineUnreachable", "n1"),
    ) == [
        ["MachineUnreachable@n1", "ServiceDown@kafka1", "ServiceDown@zk1"],
        ["ServiceDown@kafka2"],
    ]


def test_a_broker_does_not_explain_another_service():
    assert len(tree(problem("ServiceDown", "kafka2"), problem("NoLeader", "spark_master"))) == 2


def test_an_earlier_service_without_leader_explains_a_later_one():
    found = tree(
        problem("PipelineDown", "pipeline-p"),
        problem("NoLeader", "kafka"),
        problem("NoLeader", "zookeeper"),
    )
    assert found == [["NoLeader@zookeeper", "NoLeader@kafka", "PipelineDown@pipeline-p"]]
    # A later service explains no earlier one.
    assert (
        len(tree(problem("NoLeader", "spark_master"), problem("PartitionsOffline", "kafka"))) == 2
    )


def test_an_alert_is_added_to_the_problem_that_it_reports():
    down = problem("ServiceDown", "kafka2", since=200.0)
    alert = problem(
        "ServiceDown", "kafka2", alerts=("BrokerDown",), since=100.0, severity="page", read=False
    )
    (found,) = arrange([alert, down], PLACES)
    assert (found.problem.text, found.problem.alerts) == (down.text, ("BrokerDown",))
    assert found.problem.since == 100.0
    # An alert whose problem was not found stays a problem.
    (found,) = arrange([alert], PLACES)
    assert found.problem.text == alert.text


def test_different_problems_of_one_kind_and_place_are_all_kept():
    first, second = (problem("LogDirOffline", "kafka1", text=path) for path in ("/a", "/b"))
    assert len(arrange([first, second, first], PLACES)) == 2


def test_the_most_severe_comes_first_and_notes_do_not_count():
    findings = arrange(
        [
            problem("AlertsSilenced", "1"),
            problem("CertificateExpires", "kafka1"),
            problem("WritesSlow", severity="page", alerts=("WritesSlow",), read=False),
        ],
        PLACES,
    )
    assert [found.problem.kind for found in findings] == [
        "WritesSlow", "CertificateExpires", "AlertsSilenced",
    ]  # fmt: skip
    assert count(findings) == 2


def test_a_ticket_of_an_alert_is_not_urgent_but_a_ticket_that_was_read_is():
    alert = problem("Slow", severity="ticket", alerts=("Slow",), read=False)
    assert count(arrange([alert, problem("LogDirOffline", "kafka1")], PLACES)) == 1


def test_an_effect_that_pages_puts_its_cause_first():
    findings = arrange(
        [
            problem("WritesSlow", severity="page", alerts=("WritesSlow",), read=False),
            problem("LogDirOffline", "kafka1"),
            problem("PartitionsOffline", "kafka"),
        ],
        PLACES,
    )
    assert findings[0].problem.kind == "LogDirOffline"


def test_removed_replicas_explain_an_offline_log_dir():
    alert = problem("ReplicasRemoved", "kafka1", alerts=("ReplicasRemoved",), read=False)
    (finding,) = arrange([problem("LogDirOffline", "kafka1"), alert], PLACES)
    assert finding.problem.kind == "ReplicasRemoved"
    assert [each.kind for each in finding.effects] == ["LogDirOffline"]
    # The alert alone is a ticket.
    assert count([finding]) == 1


def test_plain_types_name_the_cause_and_are_read_back():
    findings = arrange(
        [problem("ServiceDown", "kafka2"), problem("ContainerStopped", "kafka2")], PLACES
    )
    found = as_list(findings)
    assert [each["because"] for each in found] == [
        None, {"kind": "ContainerStopped", "where": "kafka2"},
    ]  # fmt: skip
    assert from_dict(found[0]).as_dict() == findings[0].problem.as_dict()


def unreachable(machine):
    return problem("MachineUnreachable", machine, text=f"machine {machine} is unreachable")


def test_equal_problems_of_machines_and_what_follows_are_one_each():
    findings = arrange(
        [
            problem("ServiceDown", "kafka2", text="broker 2 does not respond", since=200.0),
            unreachable("n1"),
            problem("ServiceDown", "kafka1", text="broker 1 does not respond", since=100.0),
            problem("ServiceDown", "kafka1", alerts=("BrokerDown",), read=False),
            unreachable("n2"),
            problem("ServiceDown", "zk1", text="zk1 does not respond"),
        ],
        PLACES,
    )
    (finding,) = findings
    assert finding.problem.text == "machine n1 is unreachable; also n2"
    brokers, zookeeper = finding.effects
    assert brokers.text == "broker 1 does not respond; also kafka2"
    assert (brokers.since, brokers.alerts) == (100.0, ("BrokerDown",))
    assert zookeeper.text == "zk1 does not respond"
    # Each place counts, and keeps its own problem.
    assert count(findings) == 5
    found = as_list(findings)
    assert [each["places"] for each in found] == [["n1", "n2"], ["kafka1", "kafka2"], ["zk1"]]
    assert [each["text"] for each in found[1]["same"]] == [
        "broker 1 does not respond", "broker 2 does not respond",
    ]  # fmt: skip
    assert from_dict(found[1]).as_dict() == brokers.as_dict()
    assert [each.text for each in from_dict(found[2]).each] == [zookeeper.text]


def test_problems_with_another_text_cause_or_service_are_not_one():
    assert len(
        tree(
            problem("ServiceDown", "kafka1", text="broker 1 has 2 restarts"),
            problem("ServiceDown", "kafka2", text="broker 2 has 1 restarts"),
            problem("ServiceDown", "zk1", text="zk1 has 2 restarts"),
            problem("ServiceDown", "m1", text="m1 has 2 restarts"),
        )
    ) == 4  # fmt: skip
    down = [problem("ServiceDown", each, text=f"{each} is down") for each in ("kafka1", "kafka2")]
    assert tree(unreachable("n1"), *down) == [
        ["MachineUnreachable@n1", "ServiceDown@kafka1"], ["ServiceDown@kafka2"],
    ]  # fmt: skip


def test_each_cause_is_a_kind_and_no_kind_explains_itself_except_across_services():
    for name, kind in problem_kinds.KINDS.items():
        assert set(kind.causes) <= set(problem_kinds.KINDS), name
        assert kind.severity in problem_kinds.SEVERITIES, name
        assert name not in kind.causes or kind.wide, name


def test_circles_of_causes_end():
    every = [
        problem(kind, where)
        for kind in problem_kinds.KINDS
        for where in ("kafka1", "kafka", "n1", "")
    ]
    found = arrange(every, PLACES)
    listed = [problem for each in found for problem in (each.problem, *each.effects)]
    assert sorted(one.text for each in listed for one in each.each) == sorted(
        each.text for each in every
    )


def test_a_failing_output_explains_the_alerts_of_its_pipeline():
    assert tree(
        problem("PipelineDown", "pipeline-p", read=False, alerts=("PipelineDown",)),
        problem("PipelineLagging", "pipeline-p", read=False, alerts=("PipelineLagging",)),
        problem("PipelineFailing", "pipeline-p"),
    ) == [["PipelineFailing@pipeline-p", "PipelineDown@pipeline-p", "PipelineLagging@pipeline-p"]]


def test_offline_partitions_explain_a_failing_pipeline_and_no_earlier_service():
    assert tree(
        problem("PipelineFailing", "pipeline-p"),
        problem("PartitionsOffline", "kafka"),
        problem("ServiceDown", "zk1"),
    ) == [["PartitionsOffline@kafka", "PipelineFailing@pipeline-p"], ["ServiceDown@zk1"]]


def test_the_loss_of_many_machines_is_one_problem():
    every = range(500)
    places = Places(
        machines={f"kafka{n}": f"n{n}" for n in every} | {f"agent{n}": f"n{n}" for n in every},
        services={f"kafka{n}": "kafka" for n in every} | {f"agent{n}": "node" for n in every},
    )
    lost = [Problem("MachineUnreachable", f"n{n}", f"n{n} is lost") for n in every]
    down = [
        Problem("ServiceDown", f"{name}{n}", "down") for name in ("kafka", "agent") for n in every
    ]
    (found,) = arrange([*lost, *down], places)
    assert len(found.problem.same) == 500
    assert sorted(len(each.same) for each in found.effects) == [500, 500]
