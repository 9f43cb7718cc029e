"""The collection works when it is built and installed, without the checkout."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path

import pytest
import yaml
from installed_python import create_environment

ROOT = Path(__file__).parents[2]
HOST = {
    "ansible_connection": "local",
    "ansible_become": False,
    "ansible_python_interpreter": sys.executable,
}
SCREEN = """
- hosts: localhost
  gather_facts: false
  tasks:
    - vars:
        found: [{text: the disk is nearly full, severity: page, urgent: true}]
        screen: "{{ {'problems': found} | metal.kafka.status_screen }}"
      metal.kafka.screen: {text: "{{ screen.text }}", problems: "{{ screen.problems }}"}
"""
GROUPS = ("metal", "kafka", "zookeeper", "spark_master")
IMAGES = """
- hosts: localhost
  gather_facts: false
  tasks:
    - ansible.builtin.copy:
        content: "{{ lookup('metal.kafka.image_catalogue') | map(attribute='image') | to_json }}"
        dest: "{{ result_file }}"
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    command = ["ansible-galaxy", "collection", "build", "--output-path", folder, ROOT]
    subprocess.run(command, check=True, capture_output=True)
    (found,) = folder.glob("metal-kafka-*.tar.gz")
    return found


def test_the_archive_has_only_files_of_the_repository(archive: Path):
    with tarfile.open(archive) as content:
        files = {each.name for each in content if not each.isdir()}
        links = [each.name for each in content if each.issym() or each.islnk()]
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    # The image of the exporter is built with the package that modules use; the link is relative.
    assert links == ["watch/src/kafka_metal_watch/_problems"]
    assert files - set(listed.stdout.splitlines()) == {"MANIFEST.json", "FILES.json"}
    folders = {name.split("/")[0] for name in files}
    assert folders & {"tests", "molecule", "inventories", "compose", "scripts"} == set()
    assert [name for name in files if "/tests/" in name] == []


class Machine:
    """A control node with Ansible and the packages of meta/, without this checkout."""

    def __init__(self, folder: Path, archive: Path) -> None:
        self.folder = folder
        create_environment(self.folder, Path(sysconfig.get_paths()["purelib"]))
        (folder / "mine").mkdir()
        command = [
            "ansible-galaxy",
            "collection",
            "install",
            archive,
            "--no-deps",
            "--offline",
            "--force",
        ]
        command += ["-p", folder / "collections"]
        subprocess.run(command, check=True, capture_output=True)

    def run(self, playbook: str, *options: str) -> subprocess.CompletedProcess[str]:
        environment = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith("ANSIBLE_") and key != "PYTHONPATH"
        }
        environment |= {
            "HOME": str(self.folder),
            "ANSIBLE_COLLECTIONS_PATH": str(self.folder / "collections"),
            # As docs/start/collection.md recommends.
            **{"ANSIBLE_PIPELINING": "1", "ANSIBLE_FORKS": "20"},
            "ANSIBLE_CALLBACKS_ENABLED": "metal.kafka.preload",
        }
        return subprocess.run(
            [
                self.folder / "venv/bin/python",
                "-m",
                "ansible",
                "playbook",
                playbook,
                "-imine",
                *options,
            ],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module")
def machine(tmp_path_factory, archive: Path) -> Machine:
    folder = tmp_path_factory.mktemp("machine")
    machine = Machine(folder, archive)
    local = ROOT / "inventories/local"
    for name in ("all/cluster.yml", "metal.yml", "kafka.yml", "zookeeper.yml", "spark_master.yml"):
        target = folder / "mine/group_vars" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(local / "group_vars" / name, target)
    cluster = folder / "mine/group_vars/all/cluster.yml"
    # Not the name and ports of a cluster that runs on this machine. Variables next to an
    # inventory override those within its file.
    own = yaml.safe_load(cluster.read_text()) | {
        "cluster_name": "unit-installed",
        "port_offset": 27_000,
    }
    cluster.write_text(yaml.safe_dump(own))
    groups = yaml.safe_load((local / "hosts.yml").read_text())["all"]["children"]
    # One host of each group, because every host takes time.
    first = {name: dict([next(iter(groups[name]["hosts"].items()))]) for name in GROUPS}
    site = {"all": {"children": {name: {"hosts": hosts} for name, hosts in first.items()}}}
    site["all"]["vars"] = dict(HOST)
    site["all"]["vars"]["kafka_content_defaults"] = {"replication": 1, "min_insync": 1}
    (folder / "mine/hosts.yml").write_text(yaml.safe_dump(site))
    return machine


@pytest.mark.parametrize(
    ("playbook", "options", "expected"),
    [
        ("metal.kafka.preflight", [], "no problems"),
        ("metal.kafka.plan", ["--check"], "would"),
    ],
)
def test_installed_playbooks_run(
    machine: Machine, playbook: str, options: list[str], expected: str
):
    done = machine.run(playbook, *options)

    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert expected in done.stdout


def test_installed_collection_prints_screens(machine: Machine):
    (machine.folder / "screen.yml").write_text(SCREEN)

    done = machine.run("screen.yml")

    assert "\nCluster \n" in done.stdout, done.stdout + done.stderr
    assert "1 problem:\n  the disk is nearly full\n" in done.stdout
    assert done.returncode == 2


def test_installed_collection_has_the_same_images(machine: Machine):
    (machine.folder / "images.yml").write_text(IMAGES)
    result_file = machine.folder / "images.json"

    done = machine.run("images.yml", f"-eresult_file={result_file}")

    assert done.returncode == 0, done.stdout + done.stderr
    own = machine.folder / "own.json"
    subprocess.run(
        ["ansible-playbook", machine.folder / "images.yml", f"-eresult_file={own}"],
        check=True,
        capture_output=True,
    )
    assert json.loads(result_file.read_text()) == json.loads(own.read_text())
