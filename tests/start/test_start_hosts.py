"""Commands of docs/start run one by one on three nodes: hosts, an upgrade, the collection."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))

from checkout import ROOT, Checkout
from installed_python import create_environment

# The clock of a container may not be synchronised, which is a ticket.
WELL = re.compile(r"^(All is well|No problems)\.$", re.MULTILINE)
MINE = "INVENTORY=inventories/mine"
NODES = ROOT / "molecule/metal/inventory"
SPARK = ("spark_master", "spark_history", "spark_worker", "pipeline")


def molecule(action: str) -> None:
    """Create or destroy the nodes of the scenario metal."""
    command = ["molecule", action, "--scenario-name", "metal"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Iterator[Checkout]:
    """A copy of the sources, and three hosts without anything on them."""
    listed = ["docker", "ps", "-aq", "--filter", "name=^km-metal-"]
    if subprocess.run(listed, capture_output=True, text=True, check=True).stdout:
        pytest.fail("nodes of another drill exist; required: molecule destroy -s metal")
    molecule("create")
    try:
        molecule("prepare")
        yield Checkout.copy(tmp_path_factory.mktemp("checkout") / "kafka-metal")
    finally:
        molecule("destroy")


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def fill_in(checkout: Checkout) -> None:
    """Set the values of the page's table for the nodes; without Spark, as the page describes."""
    mine = checkout.folder / "inventories/mine"
    hosts = read(NODES / "hosts.yml")
    text = (mine / "hosts.yml").read_text(encoding="utf-8").replace(".example.com", "")
    site = yaml.safe_load(text)
    for group in SPARK:
        del site["all"]["children"][group]
    nodes = hosts["all"]["children"]["metal"]
    shared = read(NODES / "group_vars/all/20_nodes.yml")
    # A node has no serial numbers; it builds no images, because only this machine has a mirror.
    machines = site["all"]["children"]["metal"]
    machines["vars"] = nodes["vars"]
    for name, host in machines["hosts"].items():
        host |= nodes["hosts"][name] | {"host_disks": shared["host_disks"]}
    (mine / "hosts.yml").write_text(yaml.safe_dump(site), encoding="utf-8")

    page = checkout.page("three-hosts")
    values = {key: value for key, value in shared.items() if key != "host_disks"}
    change(mine / "group_vars/all/cluster.yml", values | {"cluster_name": "start"})
    page.declare(mine / "group_vars/all/cluster.yml")
    for group in ("kafka", "zookeeper"):
        change(mine / f"group_vars/{group}.yml", read(NODES / f"group_vars/{group}/20_nodes.yml"))
    content = read(mine / "group_vars/all/content.yml")
    del content["pipeline_pipelines"]
    (mine / "group_vars/all/content.yml").write_text(yaml.safe_dump(content), encoding="utf-8")


def change(path: Path, values: dict[str, Any]) -> None:
    path.write_text(yaml.safe_dump(read(path) | values), encoding="utf-8")


@pytest.fixture(scope="module")
def cluster(checkout: Checkout) -> Iterator[Checkout]:
    """Three hosts with a cluster, created as the page describes."""
    commands = list(checkout.page("three-hosts").commands())
    copied = checkout.run_all("three-hosts", iter(commands[:1]))
    assert len(copied) == 1
    fill_in(checkout)
    outputs = checkout.run_all("three-hosts", iter(commands[1:]))
    assert "no problems" in outputs[f"make preflight {MINE}"]
    assert re.search(r"^plan: \d+ changes$", outputs[f"make plan {MINE}"], re.MULTILINE)
    assert WELL.search(outputs[f"make status {MINE}"])
    yield checkout
    checkout.run(f"make destroy CONFIRM=start {MINE}")


def test_a_client_of_three_hosts_writes_and_reads(cluster: Checkout):
    page = cluster.page("client")
    page.declare(cluster.folder / "inventories/mine/group_vars/all/content.yml")
    makes = ((n, command) for n, command in page.commands() if command.startswith("make "))
    cluster.run_all("client", makes, MINE)

    first = read(NODES / "hosts.yml")["all"]["children"]["metal"]["hosts"]["node1"]
    kcat = "kcat -F inventories/mine/.kafka-metal/start/users/shop/client.conf"
    kcat += f" -b {first['node_address']}:9092 -t orders"
    cluster.run(f"echo '{{\"order\": 1}}' | {kcat} -P")
    assert cluster.run(f"{kcat} -C -o beginning -e -q") == '{"order": 1}\n'


def test_the_steps_of_an_upgrade_end_without_an_error(cluster: Checkout):
    # From this release to itself: the order of steps and their values. The last one is for
    # secrets that `make verify` lists; a new cluster has none.
    *steps, (_, last) = cluster.page("from-0.1").steps()
    assert "NAMES=" in last
    outputs = cluster.run_all("from-0.1", iter(steps))

    assert WELL.search(cluster.run(f"make status {MINE}"))
    assert not any("WHAT=passwords NAMES" in text for text in outputs.values())


def test_the_collection_runs_in_an_empty_directory(cluster: Checkout, tmp_path: Path):
    page = cluster.page("collection")
    commands = page.commands()
    home, empty = tmp_path / "home", tmp_path / "empty"
    home.mkdir()
    # The user's own settings and caches of clients, and the password of the key store.
    for name in (".config", ".cache"):
        (home / name).symlink_to(Path.home() / name)
    # Ansible without this checkout. pip is there, as in an environment of a user.
    venv = create_environment(tmp_path, Path(sysconfig.get_path("purelib")))
    cluster.run(f"{venv}/bin/python -m ensurepip --default-pip")
    environment = {"HOME": str(home), "PATH": f"{venv}/bin:{os.environ['PATH']}"}
    number, build = next(commands)
    print(f"docs/start/collection.md:{number}: {build}", flush=True)
    cluster.run(build, env=environment)
    shutil.copytree(cluster.folder / "inventories/mine", empty / "inventories/mine")
    (archive,) = cluster.folder.glob("*.tar.gz")
    shutil.move(archive, empty)
    ((_, config),) = page.blocks("ini")
    (empty / "ansible.cfg").write_text(config, encoding="utf-8")
    for number, command in commands:
        print(f"docs/start/collection.md:{number}: {command}", flush=True)
        cluster.run(command, empty, environment)

    ((_, play),) = page.blocks("yaml")
    (empty / "own.yml").write_text(play, encoding="utf-8")
    recap = cluster.run("ansible-playbook own.yml -i inventories/mine", empty, environment)
    assert recap.count("failed=0") == 3
    assert recap.count("changed=0") == 3
