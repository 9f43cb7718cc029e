"""The page displays the operation in progress and the muted alerts."""

from kafka_metal_watch.findings import problems
from kafka_metal_watch.metrics import ClusterState
from kafka_metal_watch.operation import Operation, operation
from kafka_metal_watch.page import page

NOW = 1_767_225_600.0  # 2026-01-01 00:00 UTC
ACTIVE = "kafka_metal_operation_active_time_seconds"
UNTIL = "kafka_metal_maintenance_until_time_seconds"


def write_files(folder, cluster, active, until):
    (folder / f"{cluster}@operation.prom").write_text(
        f'{ACTIVE}{{of_cluster="{cluster}",operation="restart of all",by="ops on c1"}} '
        f"{active:.0f}\n"
    )
    (folder / f"{cluster}@kafka2-maintenance.prom").write_text(
        f'{UNTIL}{{of_cluster="{cluster}",of_instance="kafka2"}} {until:.0f}\n'
    )


def test_notes_name_the_operation_and_the_muted_alerts(tmp_path):
    write_files(tmp_path, "a", NOW - 60, NOW + 240)
    found = operation(str(tmp_path), "a")
    assert found.problems(NOW) == []
    assert found.notes(NOW) == [
        "In progress: restart of all by ops on c1, last active at 2025-12-31 23:59 UTC.",
        "Alerts of kafka2 are muted until 2026-01-01 00:04 UTC.",
    ]
    text = page(ClusterState(read=NOW, operation=found), "a", {}, NOW, 15)
    assert "Alerts of kafka2 are muted until 2026-01-01 00:04 UTC." in text


def test_an_interrupted_operation_is_a_problem_and_mutes_nothing(tmp_path):
    write_files(tmp_path, "a", NOW - 3600, NOW - 3300)
    found = operation(str(tmp_path), "a")
    assert found.notes(NOW) == []
    *_, last = problems(ClusterState(read=NOW, operation=found), NOW, 15)
    assert last.kind == "OperationInterrupted"
    assert last.text == (
        "restart of all by ops on c1 was interrupted: not active for 60 min. "
        "make status shows how to continue."
    )


def test_operations_on_other_clusters_are_ignored(tmp_path):
    write_files(tmp_path, "a-b", NOW, NOW + 300)
    assert operation(str(tmp_path), "a") == Operation()


def test_a_missing_folder_or_invalid_file_means_no_operation(tmp_path):
    (tmp_path / "a@operation.prom").write_text("{{{ invalid")
    (tmp_path / "a@kafka1-maintenance.prom").write_bytes(b"\xff\xfe")
    assert operation(str(tmp_path), "a") == Operation()
    assert operation("", "a") == Operation()
    assert operation(str(tmp_path / "absent"), "a") == Operation()


def test_names_are_escaped():
    found = Operation("<script>", "<b>", NOW, {"<i>": NOW + 60})
    text = page(ClusterState(read=NOW, operation=found), "a", {}, NOW, 15)
    assert "&lt;script&gt; by &lt;b&gt;" in text
    assert "<i>" not in text
