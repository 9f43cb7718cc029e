"""A failed step ends the run: no later play writes or restarts anything, on any host."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from plays import entries, with_printing_roles

PLAYBOOKS = ("zookeeper", "kafka", "spark")
# Verbs of a service that change its machine.
CHANGES = ("files", "apply", "restart", "keep")

# Real files: they determine the end of a batch with a lost host.
REAL = ("roll/tasks/restart.yml", "roll/vars/main.yml", "roll/defaults/main.yml")

SEPARATE = {"zookeeper": ["z1", "z2", "z3"], "kafka": ["k1", "k2"], "spark_master": ["s1"]}
TOGETHER = {name: ["n1", "n2", "n3"] for name in SEPARATE}
UNREACHABLE = {"ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": 1}


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real playbooks and filters, with roles that only print their name."""
    root = tmp_path_factory.mktemp("collections")
    playbooks = with_printing_roles(root, *REAL)
    imports = [
        {"name": name, "ansible.builtin.import_playbook": f"{name}.yml"} for name in PLAYBOOKS
    ]
    (playbooks / "three.yml").write_text(yaml.safe_dump(imports))
    return root


@pytest.fixture
def ran(collection, tmp_path):
    """Function that runs the three playbooks and returns the exit code and the entries that ran."""

    def run(groups, *limit, fails="nothing", away=(), away_at="", state="absent"):
        hosts = sorted({host for group in groups.values() for host in group})
        inventory = {
            "all": {
                "vars": {
                    **{"ansible_connection": "local", "fails": fails},
                    **{"away": list(away), "away_at": away_at, "state": state},
                    **{"ansible_become": False, "rack": "{{ inventory_hostname[1:] }}"},
                },
                "hosts": {host: UNREACHABLE if host in away else {} for host in hosts},
                "children": {
                    name: {"hosts": dict.fromkeys(names)} for name, names in groups.items()
                },
            }
        }
        path = tmp_path / "hosts.yml"
        path.write_text(json.dumps(inventory))
        done = subprocess.run(
            [
                *("ansible-playbook", f"--inventory={path}", *limit),
                str(collection / "ansible_collections/metal/kafka/playbooks/three.yml"),
            ],
            # Not the repository's ansible.cfg: plays alone must end the run.
            cwd=tmp_path,
            env={
                **os.environ,
                **{"ANSIBLE_COLLECTIONS_PATH": str(collection), "ANSIBLE_GATHERING": "explicit"},
                "ANSIBLE_PYTHON_INTERPRETER": sys.executable,
                "ANSIBLE_CALLBACKS_ENABLED": "metal.kafka.preload",
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        lines = entries(done.stdout)
        assert lines, done.stdout + done.stderr
        return done.returncode, lines

    return run


def changed(lines, *roles):
    """Entries of these roles that change their machine."""
    return [
        line
        for line in lines
        if line.startswith(tuple(f"{role}/service/" for role in roles))
        and line.split("@")[0].rpartition("/")[2] in CHANGES
    ]


def test_a_run_without_failures_writes_everything(ran):
    code, lines = ran(SEPARATE)
    assert code == 0
    assert "zookeeper/service/save_last_good@z1" in lines
    assert {"kafka_broker/service/apply@k2", "spark/service/apply@s1"} <= set(lines)


@pytest.mark.parametrize("groups", [SEPARATE, TOGETHER], ids=["separate hosts", "same hosts"])
def test_unhealthy_zookeeper_ends_the_run_before_brokers(ran, groups):
    code, lines = ran(groups, fails="zookeeper/health/")
    assert code != 0
    assert changed(lines, "zookeeper")
    assert changed(lines, "kafka_broker", "spark") == []
    assert [line for line in lines if "/save_last_good@" in line] == []


def test_unhealthy_zookeeper_ends_a_limited_run(ran):
    code, lines = ran(TOGETHER, "--limit=n2,n3", fails="zookeeper/health/")
    assert code != 0
    assert changed(lines, "kafka_broker", "spark") == []


def test_a_failed_server_ends_the_run_for_all_hosts(ran):
    code, lines = ran(SEPARATE, fails="zookeeper/service/apply@z2")
    assert code != 0
    assert changed(lines, "kafka_broker", "spark") == []


@pytest.mark.parametrize("groups", [SEPARATE, TOGETHER], ids=["separate hosts", "same hosts"])
def test_an_unreachable_host_ends_the_run_for_all_hosts(ran, groups):
    lost = groups["zookeeper"][1]
    code, lines = ran(groups, away=[lost], away_at="zookeeper/service")
    assert code != 0
    assert changed(lines, "zookeeper", "kafka_broker", "spark") == []


def test_unhealthy_brokers_end_the_run_before_spark(ran):
    code, lines = ran(SEPARATE, fails="kafka_broker/health/")
    assert code != 0
    assert changed(lines, "kafka_broker")
    assert changed(lines, "spark") == []


def test_a_failed_broker_ends_a_run_without_zookeeper(ran):
    groups = {name: SEPARATE[name] for name in ("kafka", "spark_master")}
    code, lines = ran(groups, fails="kafka_broker/service/apply@k1")
    assert code != 0
    assert changed(lines, "spark") == []


def test_an_unreachable_host_ends_the_roll_after_its_batch(ran):
    # Numbers in the names are racks: k1 and n1 restart together.
    groups = {"kafka": ["k1", "n1", "k2"], "spark_master": ["s1"]}
    code, lines = ran(groups, away=["k1"], away_at="kafka_broker/service/apply", state="stale")
    assert code != 0
    assert "kafka_broker/service/apply@n1" in lines
    assert "kafka_broker/service/apply@k2" not in lines
    assert changed(lines, "spark") == []


def test_a_failed_restart_does_not_affect_its_batch(ran):
    groups = {"kafka": ["k1", "n1", "k2"], "spark_master": ["s1"]}
    code, lines = ran(
        groups, fails="kafka_broker/service/apply@k1|roll/handle_failure/", state="stale"
    )
    assert code != 0
    assert [line for line in lines if line.startswith("roll/handle_failure/")] == [
        "roll/handle_failure/@k1"
    ]
    assert "kafka_broker/service/apply@k2" not in lines
    assert changed(lines, "spark") == []
