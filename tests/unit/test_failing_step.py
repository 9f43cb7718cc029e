"""A step that fails ends the run: no later play writes or restarts anything, on any host."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from plays import entries, with_printing_roles

PLAYBOOKS = ("zookeeper", "kafka", "spark")
# Verbs of a service that change a machine.
CHANGES = ("files", "apply", "restart", "keep")

# Taken as they are: what a batch does when one of its hosts is lost.
REAL = ("roll/tasks/restart.yml", "roll/vars/main.yml", "roll/defaults/main.yml")

SEPARATE = {"zookeeper": ["z1", "z2", "z3"], "kafka": ["k1", "k2"], "spark_master": ["s1"]}
TOGETHER = {name: ["n1", "n2", "n3"] for name in SEPARATE}
UNREACHABLE = {"ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": 1}


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real playbooks and filters, with roles that only print what they were asked for."""
    root = tmp_path_factory.mktemp("collections")
    playbooks = with_printing_roles(root, *REAL)
    imports = [
        {"name": name, "ansible.builtin.import_playbook": f"{name}.yml"} for name in PLAYBOOKS
    ]
    (playbooks / "three.yml").write_text(yaml.safe_dump(imports))
    return root


@pytest.fixture
def ran(collection, tmp_path):
    """Run the three playbooks; what ran, in order, and the exit code."""

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
            # Not the repository's ansible.cfg: what ends a run stands in the plays.
            cwd=tmp_path,
            env={
                **os.environ,
                **{"ANSIBLE_COLLECTIONS_PATH": str(collection), "ANSIBLE_GATHERING": "explicit"},
                "ANSIBLE_PYTHON_INTERPRETER": sys.executable,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        lines = entries(done.stdout)
        assert lines, done.stdout + done.stderr
        return done.returncode, lines

    return run


def changed(lines, *roles):
    """Entries of these roles that change a machine."""
    return [
        line
        for line in lines
        if line.startswith(tuple(f"{role}/service/" for role in roles))
        and line.split("@")[0].rpartition("/")[2] in CHANGES
    ]


def test_a_run_in_which_nothing_fails_writes_everything(ran):
    code, lines = ran(SEPARATE)
    assert code == 0
    assert "zookeeper/service/keep@z1" in lines
    assert {"kafka_broker/service/apply@k2", "spark/service/apply@s1"} <= set(lines)


@pytest.mark.parametrize("groups", [SEPARATE, TOGETHER], ids=["separate hosts", "same hosts"])
def test_no_broker_is_written_when_the_ensemble_does_not_become_healthy(ran, groups):
    code, lines = ran(groups, fails="zookeeper/health/")
    assert code != 0
    assert changed(lines, "zookeeper")
    assert changed(lines, "kafka_broker", "spark") == []
    assert [line for line in lines if "/keep@" in line] == []


def test_a_limit_to_some_hosts_ends_as_early(ran):
    code, lines = ran(TOGETHER, "--limit=n2,n3", fails="zookeeper/health/")
    assert code != 0
    assert changed(lines, "kafka_broker", "spark") == []


def test_a_server_that_does_not_start_on_one_host_ends_the_run_for_all(ran):
    code, lines = ran(SEPARATE, fails="zookeeper/service/apply@z2")
    assert code != 0
    assert changed(lines, "kafka_broker", "spark") == []


@pytest.mark.parametrize("groups", [SEPARATE, TOGETHER], ids=["separate hosts", "same hosts"])
def test_a_host_that_becomes_unreachable_ends_the_run_for_all(ran, groups):
    lost = groups["zookeeper"][1]
    code, lines = ran(groups, away=[lost], away_at="zookeeper/service")
    assert code != 0
    assert changed(lines, "zookeeper", "kafka_broker", "spark") == []


def test_brokers_that_do_not_become_healthy_end_the_run_before_spark(ran):
    code, lines = ran(SEPARATE, fails="kafka_broker/health/")
    assert code != 0
    assert changed(lines, "kafka_broker")
    assert changed(lines, "spark") == []


def test_an_inventory_without_an_ensemble_of_its_own_ends_as_early(ran):
    groups = {name: SEPARATE[name] for name in ("kafka", "spark_master")}
    code, lines = ran(groups, fails="kafka_broker/service/apply@k1")
    assert code != 0
    assert changed(lines, "spark") == []


def test_a_host_lost_in_a_batch_ends_the_roll_before_the_next_batch(ran):
    # Racks are the numbers in the names: k1 and n1 restart together.
    groups = {"kafka": ["k1", "n1", "k2"], "spark_master": ["s1"]}
    code, lines = ran(groups, away=["k1"], away_at="kafka_broker/service/apply", state="stale")
    assert code != 0
    assert "kafka_broker/service/apply@n1" in lines
    assert "kafka_broker/service/apply@k2" not in lines
    assert changed(lines, "spark") == []


def test_a_restart_that_fails_leaves_the_others_of_its_batch_alone(ran):
    groups = {"kafka": ["k1", "n1", "k2"], "spark_master": ["s1"]}
    code, lines = ran(groups, fails="kafka_broker/service/apply@k1|roll/failed/", state="stale")
    assert code != 0
    assert [line for line in lines if line.startswith("roll/failed/")] == ["roll/failed/@k1"]
    assert "kafka_broker/service/apply@k2" not in lines
    assert changed(lines, "spark") == []
