"""What an operation tells monitoring, and what a killed one leaves behind."""

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._host import maintenance_files
from plays import run, with_collection

NOW = 1_000_000.0


@pytest.fixture
def directory(tmp_path):
    return str(tmp_path / "textfile")


def samples(directory, host="kafka1", cluster="a"):
    path = maintenance_files.silence_file(directory, cluster, host)
    return [(labels, value) for _, labels, value in maintenance_files.samples_of(path)]


def test_only_what_is_stopped_is_silent(directory):
    maintenance_files.begin(directory, "a", "restart of all", "ops on c1", NOW)
    assert maintenance_files.read(directory, "a") == {"active": NOW, "silent": {}}
    maintenance_files.silence(directory, "a", "kafka1", ["kafka1"], [], NOW + 300)
    assert samples(directory) == [({"of_cluster": "a", "of_instance": "kafka1"}, NOW + 300)]
    assert maintenance_files.read(directory, "a")["silent"] == {"kafka1": NOW + 300}


def test_a_machine_that_boots_is_silent_with_all_that_is_stopped_on_it(directory):
    maintenance_files.silence(directory, "a", "node1", ["kafka1", "zk1"], ["node1"], NOW)
    assert [labels for labels, _ in samples(directory, "node1")] == [
        {"of_cluster": "a", "of_instance": "kafka1"},
        {"of_cluster": "a", "of_instance": "zk1"},
        {"of_cluster": "a", "of_host": "node1"},
    ]


def test_a_run_that_waits_renews_both_and_silences_nothing_new(directory):
    maintenance_files.begin(directory, "a", "roll", "ops on c1", NOW)
    maintenance_files.renew(directory, "a", "kafka1", NOW + 60, 300)
    assert maintenance_files.read(directory, "a") == {"active": NOW + 60, "silent": {}}
    maintenance_files.silence(directory, "a", "kafka1", ["kafka1"], [], NOW + 300)
    maintenance_files.renew(directory, "a", "kafka1", NOW + 120, 300)
    assert maintenance_files.read(directory, "a") == {
        "active": NOW + 120,
        "silent": {"kafka1": NOW + 420},
    }


def test_without_an_operation_nothing_is_renewed(directory):
    maintenance_files.renew(directory, "a", "kafka1", NOW, 300)
    assert maintenance_files.read(directory, "a") == {"active": 0.0, "silent": {}}


def test_the_end_takes_all_of_the_cluster_away_and_nothing_of_another(directory):
    for cluster in ("a", "a-b"):
        maintenance_files.begin(directory, cluster, "roll", "ops on c1", NOW)
        maintenance_files.silence(directory, cluster, "kafka1", ["kafka1"], [], NOW)
    maintenance_files.end(directory, "a")
    assert maintenance_files.read(directory, "a") == {"active": 0.0, "silent": {}}
    assert maintenance_files.read(directory, "a-b") == {"active": NOW, "silent": {"kafka1": NOW}}


def test_the_end_takes_away_the_mark_of_an_earlier_version(directory, tmp_path):
    maintenance_files.begin(directory, "a", "roll", "ops on c1", NOW)
    old = tmp_path / "textfile" / "a-maintenance.prom"
    old.write_text("kafka_metal_maintenance_until_time_seconds 9\n")
    maintenance_files.end(directory, "a")
    assert not old.exists()


def test_names_are_text_whatever_they_hold(directory):
    hostile = 'a"} 1\nevil{x="\\'
    maintenance_files.begin(directory, "a", hostile, hostile, NOW)
    found = maintenance_files.samples_of(maintenance_files.operation_file(directory, "a"))
    assert found == [
        (
            "kafka_metal_operation_active_time_seconds",
            {"of_cluster": "a", "operation": hostile, "by": hostile},
            NOW,
        )
    ]


def test_exporters_may_read_the_files_whoever_they_run_as(directory, tmp_path):
    (tmp_path / "textfile").mkdir(mode=0o750)
    maintenance_files.begin(directory, "a", "roll", "ops on c1", NOW)
    (path,) = (tmp_path / "textfile").iterdir()
    assert path.stat().st_mode & 0o777 == 0o644
    assert path.parent.stat().st_mode & 0o777 == 0o755


def test_a_silence_that_a_killed_run_would_leave_for_hours_is_refused_first(tmp_path):
    with_collection(tmp_path)
    lock = {"include_role": {"name": "metal.kafka.roll", "tasks_from": "lock"}}
    given = {"cluster_name": "prod", "roll_silence_seconds": 7200}
    code, output = run(tmp_path, [{"hosts": "all", "tasks": [lock]}], {"all": {"localhost": given}})

    assert code != 0
    assert "roll_silence_seconds: found 7200; allowed: 300 to 600" in output
