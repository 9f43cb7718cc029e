"""A start of all brokers of a stopped cluster mutes its alerts; that of one broker does not."""

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._host import maintenance_files
from plays import ROOT, run, with_collection

BROKERS = {"kafka1": {"kafka_broker_id": 1}, "kafka2": {"kafka_broker_id": 2}}


@pytest.mark.parametrize(
    ("stopped", "silenced"),
    [
        ({"m1": {"a-kafka1": "kafka_broker"}, "m2": {"a-kafka2": "kafka_broker"}}, True),
        ({"m1": {"a-kafka1": "kafka_broker", "a-zk1": "zookeeper"}}, False),
        ({"m1": {"a-zk1": "zookeeper"}, "m2": {"a-zk2": "zookeeper"}}, False),
        ({}, False),
    ],
    ids=["all brokers", "one broker", "no broker", "nothing"],
)
def test_only_a_start_of_all_brokers_silences_all_alerts(stopped, silenced, tmp_path):
    with_collection(tmp_path)
    textfiles = tmp_path / "textfiles"
    own = {
        "cluster_name": "a",
        "silence_seconds": 600,
        "monitoring_textfile_dir": str(textfiles),
        "ansible_become": False,
    }
    machines = dict.fromkeys(("m1", "m2", "m9"), own)
    brokers = {name: {**own, **each} for name, each in BROKERS.items()}
    code, output = run(
        tmp_path,
        [
            # A fact, as in internal_resume.yml.
            {"hosts": "metal", "tasks": [{"ansible.builtin.set_fact": {"site_stopped": stopped}}]},
            {"import_playbook": str(ROOT / "playbooks/internal_silence.yml")},
        ],
        {"metal": machines, "kafka": brokers, "monitoring": {"m9": own}},
    )
    assert code == 0, output
    found = maintenance_files.read(str(textfiles), "a")["silenced_until"]
    assert set(found) == ({"all services"} if silenced else set())
