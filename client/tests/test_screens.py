import copy

from kafka_metal_client import report, status
from kafka_metal_client.tables import Paint, table

PLAIN = Paint(enabled=False)
DEMO = {
    "run": "r1", "topic": "payments", "reconciled": True, "differences": [], "notes": [],
    "sent": 100_000, "acknowledged": 100_000, "failed": 0,
    "accepted": {"expected": 98_000, "found": 98_000, "missing": 0, "repeated": 0},
    "invalid": {"expected": 2_000, "found": 2_000, "missing": 0, "repeated": 0, "kinds": {}},
    "frauds": {"expected": 5_000, "found": 5_000, "missing": 0, "repeated": 12},
    "metrics": {"windows": 24, "archived": 98_000, "counted": 98_000, "different": 0},
    "latency_ms": {"p50": 640, "p99": 1_320, "max": 1_900, "records": 5_000},
}  # fmt: skip


def platform():
    return {
        "cluster": "local",
        "bootstrap": "127.0.0.1:9092,127.0.0.1:9093",
        "services": [
            {"name": "zk1", "kind": "zookeeper", "state": "running", "health": "healthy",
             "endpoint": "127.0.0.1:2181", "note": "leader"},
            {"name": "kafka1", "kind": "broker", "state": "running", "health": "healthy",
             "endpoint": "127.0.0.1:9092", "note": "controller"},
            {"name": "pipeline-payments", "kind": "pipeline", "state": "running", "health": "",
             "endpoint": "127.0.0.1:4050", "note": None},
        ],
        "cluster_info": {
            "reachable": True, "healthy": True, "controller_id": 1, "topics": 9,
            "partitions": 120, "under_replicated": [], "offline": [], "problems": [],
            "brokers": [{"id": 1}, {"id": 2}, {"id": 3}],
        },
        "pipelines": [
            {"name": "payments", "id": "x", "state": "RUNNING", "started": "t",
             "records": {"read": 900, "invalid": 3}, "outputs": {
                "fraud": {"batch": 12, "input_rows": 100, "rows_per_second": 2512.4, "lag": 0,
                          "batch_seconds": 0.5, "updated": "2026-03-01T12:00:00Z",
                          "exception": None},
                "archive": {"batch": 11, "input_rows": 1, "rows_per_second": 2500, "lag": 1234,
                            "batch_seconds": 0.7, "updated": "2026-03-01T12:00:01Z",
                            "exception": None},
            }},
        ],
        "problems": [],
    }  # fmt: skip


STATUS = """\
Cluster local
brokers 3  controller 1  topics 9  in-sync partitions 120/120

service            kind       health   endpoint        note
zk1                zookeeper  healthy  127.0.0.1:2181  leader
kafka1             broker     healthy  127.0.0.1:9092  controller
pipeline-payments  pipeline   running  127.0.0.1:4050

pipeline  state    invalid  output   batch    lag  records/s  updated
payments  RUNNING        3  fraud       12      0      2,512  2026-03-01T12:00:00Z
                            archive     11  1,234      2,500  2026-03-01T12:00:01Z

All is well.
"""


def test_status_screen_has_services_cluster_and_pipelines():
    assert status.render(platform(), PLAIN) == (STATUS, [])


def problem(text, kind="ServiceDown", where="kafka1", severity="page", **more):
    found = {"kind": kind, "where": where, "severity": severity, "text": text, "command": "",
             "since": 0, "alerts": [], "read": True, "because": None}  # fmt: skip
    return {"urgent": severity != "note", **found, **more}


CAUSE = problem(
    "kafka1 is stopped", "ContainerStopped", command="make up", since=1_767_225_600,
    alerts=["BrokerDown"],
)  # fmt: skip
EFFECT = problem(
    "2 partitions are under-replicated: a-0, b-0", "PartitionsUnderReplicated", "kafka",
    because={"kind": "ContainerStopped", "where": "kafka1"},
)  # fmt: skip
NOTE = problem("alerts with a=b are silenced", "AlertsSilenced", "1", "note")


def test_status_screen_ends_with_causes_their_remedies_and_what_follows():
    text, problems = status.render(platform() | {"problems": [CAUSE, EFFECT]}, PLAIN)
    assert problems == [CAUSE["text"], EFFECT["text"]]
    assert text.endswith(
        "\n2 problems:\n"
        "  kafka1 is stopped (since 2026-01-01 00:00 UTC, alert BrokerDown)\n"
        "    -> make up\n"
        "    so: 2 partitions are under-replicated: a-0, b-0\n"
    )


def test_notes_are_no_problems():
    text, problems = status.render(platform() | {"problems": [NOTE], "notes": ["a run"]}, PLAIN)
    assert problems == []
    assert text.endswith("\na run\nalerts with a=b are silenced\nAll is well.\n")


def test_tickets_of_alerts_come_last_and_are_no_problems():
    ticket = problem("alert Slow: it is slow", "Slow", severity="ticket", urgent=False)
    text, problems = status.render(platform() | {"problems": [ticket]}, PLAIN)
    assert problems == []
    assert text.endswith("\nNo problems.\n1 ticket:\n  alert Slow: it is slow\n")
    text, problems = status.render(platform() | {"problems": [CAUSE, ticket]}, PLAIN)
    assert problems == [CAUSE["text"]]
    assert text.endswith("    -> make up\n1 ticket:\n  alert Slow: it is slow\n")


def test_an_alert_is_named_once():
    fires = problem("alert BrokerDown: broker 1 is away", alerts=["BrokerDown"])
    text, _ = status.render(platform() | {"problems": [fires]}, PLAIN)
    assert text.endswith("1 problem:\n  alert BrokerDown: broker 1 is away\n")


def test_partitions_out_of_sync_are_counted_once():
    state = platform()
    state["cluster_info"].update(healthy=False, under_replicated=["a-0", "b-1"], offline=["a-0"])
    assert "in-sync partitions 118/120" in status.render(state, PLAIN)[0]


def test_service_may_have_health_only():
    state = {"services": [{"name": "kafka1", "kind": "broker", "health": "ok", "note": ""}]}
    text, problems = status.render(state | {"cluster_info": {}}, PLAIN)
    assert problems == []
    assert "kafka1   broker  ok" in text


def test_empty_state_is_rendered():
    assert status.render({}, PLAIN)[1] == []


REPORT = """\
Cluster local
brokers 3  controller 1  topics 9  in-sync partitions 120/120
bootstrap 127.0.0.1:9092,127.0.0.1:9093

service    healthy  instances
zookeeper  1 of 1   zk1
broker     1 of 1   kafka1
pipeline   1 of 1   pipeline-payments

Run r1: 100,000 payments sent, 100,000 acknowledged, 0 failed; counts reconcile
output                        expected   found  missing  repeated
archive                         98,000  98,000        0         0
payments_invalid                 2,000   2,000        0         0
fraudulent_payments              5,000   5,000        0        12
payment_metrics (24 windows)    98,000  98,000        0
sent 100,000 = accepted 98,000 + invalid 2,000
latency from payments to fraudulent_payments: p50 640 ms, p99 1,320 ms, longest 1,900 ms

All is well.

Next:
  make status                            the whole platform on one screen
  make produce FILE=data.csv TOPIC=name  send a file of your own
  make demo                              send another 100,000 payments and count them again
"""


def full_report():
    return platform() | {"demo": copy.deepcopy(DEMO)}


def test_report_has_counts_latency_and_next_commands():
    text, problems = report.render(full_report(), PLAIN)
    assert problems == []
    assert [" ".join(line.split()) for line in text.splitlines()] == [
        " ".join(line.split()) for line in REPORT.splitlines()
    ]


def test_report_explains_a_long_latency():
    state = full_report()
    state["demo"]["latency_ms"]["p50"] = 37_000
    assert "most records waited" in report.render(state, PLAIN)[0]


def test_report_with_differences_suggests_commands():
    state = full_report()
    state["services"][1]["state"] = "exited"
    state["problems"] = [problem("kafka1 is exited")]
    state["demo"]["reconciled"] = False
    state["demo"]["differences"] = ["3 frauds are not in the fraud topic: partition 0 offset 1"]
    text, problems = report.render(state, PLAIN)
    assert problems == ["kafka1 is exited", *state["demo"]["differences"]]
    assert "0 failed; DIFFERENCES" in text
    assert "1 problem:\n  kafka1 is exited\n  3 frauds are not in the fraud topic" in text
    assert "kafka1   broker  exited  127.0.0.1:9092  controller" in text
    assert "make logs S=kafka1" in text


def test_report_of_an_unchanged_run_counts_services():
    text, problems = report.render(platform(), PLAIN, unchanged=True)
    assert not problems
    lines = text.splitlines()
    assert (
        lines[-1]
        == f"All is well: {len(platform()['services'])} services, listed by `make status`."
    )
    assert len(lines) <= 5

    state = full_report()
    state["problems"] = [problem("zk1 is exited", where="zk1")]
    text, problems = report.render(state, PLAIN, unchanged=True)
    assert problems == ["zk1 is exited"]
    assert "1 problem:" in text


def test_report_of_an_unchanged_run_has_tickets():
    ticket = problem("alert ClockUnsynchronised: it is late", severity="ticket", urgent=False)
    text, problems = report.render(platform() | {"problems": [ticket]}, PLAIN, unchanged=True)
    assert problems == []
    assert "All is well" not in text
    assert text.endswith("No problems.\n1 ticket:\n  alert ClockUnsynchronised: it is late")


def test_a_firing_alert_is_in_the_report_and_does_not_fail_the_run():
    page = problem("alert WritesSlow: it is slow", "WritesSlow", read=False)
    text, problems = report.render(full_report() | {"problems": [page]}, PLAIN)
    assert "1 problem:\n  alert WritesSlow: it is slow\n" in text
    assert problems == []


def test_report_without_demo_has_no_counts():
    text, problems = report.render(platform(), PLAIN)
    assert problems == []
    assert "reconcile" not in text


def test_report_has_the_command_of_a_client_if_both_of_its_values_are_known():
    state = platform() | {"access": "client.conf"}
    line = "access    kcat -F client.conf -b 127.0.0.1:9092 -L\n"
    assert line in report.render(state, PLAIN)[0]
    for missing in ("access", "bootstrap"):
        assert "kcat" not in report.render(state | {missing: None}, PLAIN)[0]


def test_numbers_are_right_aligned_despite_colours():
    rows = [["a", ("1", "31")], ["bbb", "1,000"]]
    assert table(["x", "n"], rows, PLAIN) == ["x        n", "a        1", "bbb  1,000"]
    coloured = table(["x", "n"], rows, Paint(enabled=True))
    assert coloured[1] == "a    \x1b[31m    1\x1b[0m"
