"""Every layout of an inventory that Ansible accepts gives the same name and the same place."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from verbs.run import site  # noqa: E402 - scripts are no package of the environment

HOSTS = "all: {children: {metal: {hosts: {localhost: }}}}\n"
NAMED = "all: {vars: {cluster_name: unit-layout}, children: {metal: {hosts: {localhost: }}}}\n"
SCRIPT = """#!/bin/sh
echo '{"metal": {"hosts": ["localhost"]}, "all": {"vars": {"cluster_name": "unit-layout"}}}'
"""
# Files of the layout, sources by comma, where the state is.
LAYOUTS = {
    "group_vars/all.yml": (
        {"mine/hosts.yml": HOSTS, "mine/group_vars/all.yml": "cluster_name: unit-layout\n"},
        "mine",
        "mine",
    ),
    "group_vars/all/*.yml": (
        {"mine/hosts.yml": HOSTS, "mine/group_vars/all/z.yml": "cluster_name: unit-layout\n"},
        "mine/hosts.yml",
        "mine",
    ),
    "one file": ({"mine/hosts.yml": NAMED}, "mine/hosts.yml", "mine"),
    "an INI file": (
        {"mine/hosts": "[metal]\nlocalhost\n[all:vars]\ncluster_name=unit-layout\n"},
        "mine/hosts",
        "mine",
    ),
    "several sources": (
        {"first/hosts.yml": HOSTS, "mine/hosts.yml": NAMED},
        "first,mine/hosts.yml",
        "first",
    ),
    "a program": ({"mine/hosts.sh": SCRIPT}, "mine/hosts.sh", "mine"),
    "nobody names it": ({"mine/hosts.yml": HOSTS}, "mine", None),
    "an empty name": (
        {"mine/hosts.yml": HOSTS, "mine/group_vars/all.yml": "cluster_name: ''\n"},
        "mine",
        None,
    ),
}


@pytest.fixture
def make(tmp_path):
    """Run make with an inventory of the test, by real Ansible."""

    def run(verb: str, inventory: str, **values: str) -> subprocess.CompletedProcess[str]:
        sources = ",".join(str(tmp_path / each) for each in inventory.split(","))
        words = [f"{name}={value}" for name, value in {"INVENTORY": sources, **values}.items()]
        return subprocess.run(
            ["make", "-C", str(ROOT), "-o", "env", verb, *words],
            env={k: v for k, v in os.environ.items() if k not in ("CLUSTER", "MAKEFLAGS")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


def lay(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if path.suffix == ".sh" else 0o644)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_ansible_says_which_cluster_it_is_and_where_its_state_is(tmp_path, monkeypatch, layout):
    files, sources, place = LAYOUTS[layout]
    lay(tmp_path, files)
    monkeypatch.setenv("INVENTORY", ",".join(str(tmp_path / each) for each in sources.split(",")))
    for name in ("CLUSTER", "ARGS"):
        monkeypatch.delenv(name, raising=False)
    if place:
        found = site("internal_state")
        state = tmp_path / place / ".kafka-metal/unit-layout"
        assert (found.cluster, found.state) == ("unit-layout", state)
        assert list(tmp_path.rglob(".kafka-metal")) == [state.parent]
    else:
        with pytest.raises(SystemExit):
            site("internal_state")
        assert list(tmp_path.rglob(".kafka-metal")) == []


TWO = """all:
  children:
    metal:
      hosts:
        m1: {ansible_connection: local, cluster_name: unit-layout}
        m2: {ansible_connection: local, cluster_name: another}
"""


@pytest.mark.parametrize("verb", ["status", "destroy"])
def test_hosts_of_two_clusters_are_refused_before_anything_is_touched(make, tmp_path, verb):
    lay(tmp_path, {"mine/hosts.yml": TWO})

    refused = make(verb, "mine/hosts.yml", CONFIRM="unit-layout")

    said = " ".join((refused.stdout + refused.stderr).split())
    assert refused.returncode != 0
    assert "hosts of this run have clusters unit-layout, another" in said
    assert not (tmp_path / "mine/.kafka-metal").exists()


@pytest.mark.parametrize(
    ("layout", "confirmed", "found"),
    [
        ("one file", "another", "cluster 'unit-layout'"),
        ("one file", "", "cluster 'unit-layout'"),
        ("nobody names it", "", "cluster ''"),
        ("an empty name", "", "cluster ''"),
    ],
)
def test_destroy_without_the_cluster_s_name_touches_nothing(
    make, tmp_path, layout, confirmed, found
):
    files, sources, _ = LAYOUTS[layout]
    lay(tmp_path, files)
    refused = make("destroy", sources, CONFIRM=confirmed)

    assert refused.returncode != 0
    said = " ".join((refused.stdout + refused.stderr).split())
    assert f"nothing was touched: to delete all data of {found}" in said


def test_a_service_that_is_nowhere_is_named(make, tmp_path):
    lay(tmp_path, LAYOUTS["one file"][0])
    asked = make("logs", "mine", S="none")

    assert asked.returncode != 0
    assert "no service none in cluster unit-layout" in " ".join(asked.stderr.split())


def test_a_limit_does_not_pass_by_the_question_for_the_name(make, tmp_path):
    lay(tmp_path, {"mine/hosts.yml": NAMED.replace("localhost: }", "localhost: , other: }")})
    refused = make("destroy", "mine", ARGS="--limit other -e ansible_connection=local")

    assert refused.returncode != 0
    assert "nothing was touched: to delete all data of cluster" in " ".join(refused.stdout.split())


@pytest.mark.parametrize(
    ("verb", "values", "complaint"),
    [
        ("access", ["U"], "access_user: found"),
        ("disk-drain", ["HOST", "DISK"], "Name the broker's host and its disk: HOST=kafka1 DISK="),
        ("destroy", ["CONFIRM"], "nothing was touched"),
    ],
)
def test_ansible_runs_nothing_of_a_value(make, tmp_path, verb, values, complaint):
    canary = tmp_path / "canary"
    text = f"{{{{ lookup('pipe', 'touch {canary}') }}}}"
    content = (ROOT / "inventories/local/hosts.yml").read_text()
    lay(tmp_path, {"mine/hosts.yml": content})
    named = json.dumps({"cluster_name": "unit-layout", "kafka_broker_listeners": {}})
    done = make(verb, "mine", ARGS=f"-e '{named}'", **dict.fromkeys(values, text))

    assert done.returncode != 0
    assert complaint in " ".join((done.stdout + done.stderr).split())
    assert "lookup('pipe'" in done.stdout + done.stderr
    assert not canary.exists()
