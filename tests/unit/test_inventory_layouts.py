"""Every inventory layout of Ansible results in the same cluster name and state directory."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from verbs.run import site  # noqa: E402 - scripts are not an installed package

HOSTS = "all: {children: {metal: {hosts: {localhost: }}}}\n"
NAMED = "all: {vars: {cluster_name: unit-layout}, children: {metal: {hosts: {localhost: }}}}\n"
SCRIPT = """#!/bin/sh
echo '{"metal": {"hosts": ["localhost"]}, "all": {"vars": {"cluster_name": "unit-layout"}}}'
"""
# Files of the layout, comma-separated sources, directory of the state.
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
    "an executable": ({"mine/hosts.sh": SCRIPT}, "mine/hosts.sh", "mine"),
    "no cluster name": ({"mine/hosts.yml": HOSTS}, "mine", None),
    "an empty name": (
        {"mine/hosts.yml": HOSTS, "mine/group_vars/all.yml": "cluster_name: ''\n"},
        "mine",
        None,
    ),
}


@pytest.fixture
def make(tmp_path):
    """Function that runs make with an inventory of the test and real Ansible."""

    def run(verb: str, inventory: str, **values: str) -> subprocess.CompletedProcess[str]:
        sources = ",".join(str(tmp_path / each) for each in inventory.split(","))
        assignments = [
            f"{name}={value}" for name, value in {"INVENTORY": sources, **values}.items()
        ]
        return subprocess.run(
            ["make", "-C", str(ROOT), "-o", "env", verb, *assignments],
            env={k: v for k, v in os.environ.items() if k not in ("CLUSTER", "MAKEFLAGS")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


def write_files(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if path.suffix == ".sh" else 0o644)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_cluster_and_state_directory_of_a_layout(tmp_path, monkeypatch, layout):
    files, sources, place = LAYOUTS[layout]
    write_files(tmp_path, files)
    monkeypatch.setenv("INVENTORY", ",".join(str(tmp_path / each) for each in sources.split(",")))
    for name in ("CLUSTER", "ARGS"):
        monkeypatch.delenv(name, raising=False)
    if place:
        found = site("internal_begin")
        state = tmp_path / place / ".kafka-metal/unit-layout"
        assert (found.cluster, found.state) == ("unit-layout", state)
        assert list(tmp_path.rglob(".kafka-metal")) == [state.parent]
    else:
        with pytest.raises(SystemExit):
            site("internal_begin")
        assert list(tmp_path.rglob(".kafka-metal")) == []


TWO = """all:
  children:
    metal:
      hosts:
        m1: {ansible_connection: local, cluster_name: unit-layout}
        m2: {ansible_connection: local, cluster_name: another}
"""


@pytest.mark.parametrize("verb", ["status", "destroy"])
def test_hosts_of_two_clusters_are_refused(make, tmp_path, verb):
    write_files(tmp_path, {"mine/hosts.yml": TWO})

    refused = make(verb, "mine/hosts.yml", CONFIRM="unit-layout")

    output = " ".join((refused.stdout + refused.stderr).split())
    assert refused.returncode != 0
    assert "hosts of this run have clusters unit-layout, another" in output
    assert not (tmp_path / "mine/.kafka-metal").exists()


@pytest.mark.parametrize(
    ("layout", "confirmed", "found"),
    [
        ("one file", "another", "cluster 'unit-layout'"),
        ("one file", "", "cluster 'unit-layout'"),
        ("no cluster name", "", "cluster ''"),
        ("an empty name", "", "cluster ''"),
    ],
)
def test_destroy_without_the_clusters_name_is_refused(make, tmp_path, layout, confirmed, found):
    files, sources, _ = LAYOUTS[layout]
    write_files(tmp_path, files)
    refused = make("destroy", sources, CONFIRM=confirmed)

    assert refused.returncode != 0
    output = " ".join((refused.stdout + refused.stderr).split())
    assert f"nothing was touched: to delete all data of {found}" in output


def test_logs_name_an_unknown_service(make, tmp_path):
    write_files(tmp_path, LAYOUTS["one file"][0])
    done = make("logs", "mine", S="none")

    assert done.returncode != 0
    assert "no service none in cluster unit-layout" in " ".join(done.stderr.split())


def test_destroy_with_a_limit_needs_the_name(make, tmp_path):
    write_files(
        tmp_path, {"mine/hosts.yml": NAMED.replace("localhost: }", "localhost: , other: }")}
    )
    refused = make("destroy", "mine", ARGS="--limit other -e ansible_connection=local")

    assert refused.returncode != 0
    assert "nothing was touched: to delete all data of cluster" in " ".join(refused.stdout.split())


@pytest.mark.parametrize(
    ("verb", "values", "message"),
    [
        ("access", ["U"], "access_user: found"),
        ("disk-drain", ["HOST", "DISK"], "Name the broker's host and its disk: HOST=kafka1 DISK="),
        ("destroy", ["CONFIRM"], "nothing was touched"),
    ],
)
def test_ansible_does_not_evaluate_values(make, tmp_path, verb, values, message):
    canary = tmp_path / "canary"
    text = f"{{{{ lookup('pipe', 'touch {canary}') }}}}"
    content = (ROOT / "inventories/local/hosts.yml").read_text()
    write_files(tmp_path, {"mine/hosts.yml": content})
    variables = json.dumps({"cluster_name": "unit-layout", "kafka_broker_listeners": {}})
    done = make(verb, "mine", ARGS=f"-e '{variables}'", **dict.fromkeys(values, text))

    assert done.returncode != 0
    assert message in " ".join((done.stdout + done.stderr).split())
    assert "lookup('pipe'" in done.stdout + done.stderr
    assert not canary.exists()
