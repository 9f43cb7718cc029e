"""Maintenance markers of running, ended and killed operations."""

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._host import maintenance_files
from plays import run, with_collection

NOW = 1_000_000.0


@pytest.fixture
def directory(tmp_path):
    return str(tmp_path / "textfile")


def samples(directory, host="kafka1", cluster="a"):
    path = maintenance_files.silence_file(directory, cluster, host)
    return [(labels, value) for _, labels, value in maintenance_files.read_samples(path)]


def test_only_stopped_instances_are_silenced(directory):
    maintenance_files.begin(directory, "a", "restart of all", "ops on c1", NOW)
    assert maintenance_files.read(directory, "a") == {"active": NOW, "silenced_until": {}}
    maintenance_files.silence(directory, "a", "kafka1", ["kafka1"], [], NOW + 300)
    assert samples(directory) == [({"of_cluster": "a", "of_instance": "kafka1"}, NOW + 300)]
    assert maintenance_files.read(directory, "a")["silenced_until"] == {"kafka1": NOW + 300}


def test_booting_machine_is_silenced_with_its_instances(directory):
    maintenance_files.silence(directory, "a", "node1", ["kafka1", "zk1"], ["node1"], NOW)
    assert [labels for labels, _ in samples(directory, "node1")] == [
        {"of_cluster": "a", "of_instance": "kafka1"},
        {"of_cluster": "a", "of_instance": "zk1"},
        {"of_cluster": "a", "of_host": "node1"},
    ]


def test_a_start_of_the_whole_cluster_silences_everything_until_the_operation_ends(directory):
    maintenance_files.silence(directory, "a", "", [], [], NOW + 600, everything=True)
    assert samples(directory, "") == [({"of_cluster": "a", "of_all": "true"}, NOW + 600)]
    assert maintenance_files.read(directory, "a")["silenced_until"] == {"all services": NOW + 600}
    maintenance_files.end(directory, "a")
    assert samples(directory, "") == []


def test_renewal_extends_activity_and_silence(directory):
    maintenance_files.begin(directory, "a", "roll", "ops on c1", NOW)
    maintenance_files.renew(directory, "a", "kafka1", NOW + 60, 300)
    assert maintenance_files.read(directory, "a") == {"active": NOW + 60, "silenced_until": {}}
    maintenance_files.silence(directory, "a", "kafka1", ["kafka1"], [], NOW + 300)
    maintenance_files.renew(directory, "a", "kafka1", NOW + 120, 300)
    assert maintenance_files.read(directory, "a") == {
        "active": NOW + 120,
        "silenced_until": {"kafka1": NOW + 420},
    }


def test_without_an_operation_nothing_is_renewed(directory):
    maintenance_files.renew(directory, "a", "kafka1", NOW, 300)
    assert maintenance_files.read(directory, "a") == {"active": 0.0, "silenced_until": {}}


def test_end_removes_only_files_of_the_cluster(directory):
    for cluster in ("a", "a-b"):
        maintenance_files.begin(directory, cluster, "roll", "ops on c1", NOW)
        maintenance_files.silence(directory, cluster, "kafka1", ["kafka1"], [], NOW)
    maintenance_files.end(directory, "a")
    assert maintenance_files.read(directory, "a") == {"active": 0.0, "silenced_until": {}}
    assert maintenance_files.read(directory, "a-b") == {
        "active": NOW,
        "silenced_until": {"kafka1": NOW},
    }


def test_end_removes_the_file_of_an_earlier_version(directory, tmp_path):
    maintenance_files.begin(directory, "a", "roll", "ops on c1", NOW)
    old = tmp_path / "textfile" / "a-maintenance.prom"
    old.write_text("kafka_metal_maintenance_until_time_seconds 9\n")
    maintenance_files.end(directory, "a")
    assert not old.exists()


def test_hostile_names_are_escaped(directory):
    hostile = 'a"} 1\nevil{x="\\'
    maintenance_files.begin(directory, "a", hostile, hostile, NOW)
    found = maintenance_files.read_samples(maintenance_files.operation_file(directory, "a"))
    assert found == [
        (
            "kafka_metal_operation_active_time_seconds",
            {"of_cluster": "a", "operation": hostile, "by": hostile},
            NOW,
        )
    ]


def test_files_are_readable_by_all_users(directory, tmp_path):
    (tmp_path / "textfile").mkdir(mode=0o750)
    maintenance_files.begin(directory, "a", "roll", "ops on c1", NOW)
    (path,) = (tmp_path / "textfile").iterdir()
    assert path.stat().st_mode & 0o777 == 0o644
    assert path.parent.stat().st_mode & 0o777 == 0o755


def test_too_long_silence_is_refused(tmp_path):
    with_collection(tmp_path)
    lock = {"include_role": {"name": "metal.kafka.roll", "tasks_from": "lock"}}
    given = {"cluster_name": "prod", "roll_silence_seconds": 7200}
    code, output = run(tmp_path, [{"hosts": "all", "tasks": [lock]}], {"all": {"localhost": given}})

    assert code != 0
    assert "roll_silence_seconds: found 7200; allowed: 300 to 600" in output
