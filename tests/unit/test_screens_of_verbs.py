"""Playbooks of verbs print a screen and set the exit code of scripts/verbs/codes.py."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.metal.kafka.plugins.plugin_utils._images.images import catalogue
from plays import (
    BROKER,
    ENTRY_DEFAULTS,
    HERE,
    MACHINE_STATE,
    MACHINE_STATE_FILES,
    ROOT,
    with_printing_roles,
)

GROUPS = ("metal", "kafka")
AWAY = {"ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": 1}
# Real files of roles whose results are in screens.
REAL = [
    f"kafka_content/{each}"
    for each in ("tasks/groups.yml", "tasks/export.yml", "defaults/main.yml", "vars/main.yml")
]
MODULE = """#!/usr/bin/python
# WANT_JSON
import json
print(json.dumps(%r))
"""
HOSTILE = "{{ lookup('pipe', 'touch CANARY') }}\x1b[2J"
GROUP = {"state": "Empty", "members": [], "topics": ["payments"], "lag": 12}
RESULTS = {
    "support_archive": {"members": 3, "size": 2100},
    "groups": {"groups": {"reports": GROUP, HOSTILE: GROUP}, "steps": []},
    "cluster_content_info": {
        "topics": {},
        "users": {HOSTILE: {"SCRAM-SHA-512": 8192}},
        **{"acls": [], "quotas": [], "unread": []},
    },
}
COUNTS = {"expected": 1, "found": 1, "missing": 0, "repeated": 0}
DEMO = {
    **{"run": "r1", "reconciled": True, "sent": 3, "acknowledged": 3, "failed": 0},
    **dict.fromkeys(("accepted", "invalid", "frauds"), COUNTS),
    **{"metrics": {"windows": 1, "archived": 1, "counted": 1}, "latency_ms": {}},
}
SERVICE = {"name": "kafka1", "kind": "broker", "state": "running", "health": "healthy"}
SETTING = {
    "name": "vm.swappiness",
    "state": "ok",
    **dict.fromkeys(("wanted", "persisted", "live"), "1"),
}
WELL = {
    "kafka_broker_platform_status": {"services": [SERVICE]},
    "host_verified": {
        "mode": "apply",
        "settings": [SETTING],
    },
    "kafka_broker_replicas": {"compared": ["a-0"], "different": [], "unfinished": [],
                              "compacted": []},
}  # fmt: skip
BAD = {
    "kafka_broker_platform_status": {
        "services": [SERVICE],
        "problems": [{"kind": "ServiceDown", "where": "kafka1", "text": "kafka1 is exited"}],
    },
    "host_verified": {
        "mode": "apply",
        "settings": [SETTING | {"state": "drift", "live": "60"}],
    },
    "kafka_broker_replicas": WELL["kafka_broker_replicas"] | {"different": ["a-0 at 5"]},
}


class Site:
    """Playbooks with roles that only print, for hosts that are this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = with_printing_roles(
            folder,
            *REAL,
            *MACHINE_STATE_FILES,
            modules={
                "machine_state": MACHINE_STATE,
                **{name: MODULE % result for name, result in RESULTS.items()},
            },
        ).parent
        for name in ("Makefile", "ansible.cfg"):
            shutil.copy(ROOT / name, self.home)
        shutil.copytree(ROOT / "scripts", self.home / "scripts")
        self.empty = folder / "empty"
        self.empty.mkdir()

    def declare(
        self,
        variables: Mapping[str, Any],
        *,
        away: bool = False,
        groups: tuple[str, ...] = GROUPS,
        **every: Any,
    ) -> None:
        """Write an inventory of two machines with brokers; ``variables`` are only of the first."""
        hosts = {
            f"m{number}": {**HERE, **ENTRY_DEFAULTS, **BROKER, "kafka_broker_id": number,
                           **WELL, **every, **(variables if number == 1 else {})}
            for number in (1, 2)
        }  # fmt: skip
        if away:
            hosts["m2"] |= AWAY
            # Only tasks on the host itself use its connection.
            hosts["m2"] |= {"away": ["m2"], "away_at": "host/verify"}
        children = {name: {"hosts": dict.fromkeys(hosts)} for name in groups}
        shared = {
            "cluster_name": "unit",
            "kafka_metal_state": str(self.folder / "state"),
            "service_config_root": str(self.folder / "etc"),
        }
        self.create_service_directory({**shared, **every, **variables}["cluster_name"])
        inventory = {"all": {"hosts": hosts, "vars": shared, "children": children}}
        (self.folder / "hosts.json").write_text(json.dumps(inventory))

    def create_service_directory(self, cluster: str) -> None:
        """Create the directory that a service of a cluster has on its machine."""
        (self.folder / "etc" / f"{cluster}-kafka1").mkdir(parents=True, exist_ok=True)

    def playbook(self, name: str, *options: str) -> subprocess.CompletedProcess[str]:
        """Run a playbook of the installed collection."""
        return self._run("ansible-playbook", f"metal.kafka.{name}", *self._sources(), *options)

    def make(self, verb: str, **values: str) -> subprocess.CompletedProcess[str]:
        """Run the same verb with make."""
        assignments = [f"{name}={value}" for name, value in values.items()]
        sources = f"INVENTORY={self.folder / 'hosts.json'}"
        return self._run(
            "make", "-s", "-C", str(self.home), "-o", "env", verb, sources, *assignments
        )

    def verb(self, name: str, **values: str) -> subprocess.CompletedProcess[str]:
        """Run the same verb without make, which always exits with 2 on failure."""
        values = {"INVENTORY": str(self.folder / "hosts.json"), **values}
        return self._run(str(self.home / "scripts/verb"), name, **values)

    def _sources(self) -> list[str]:
        return ["-i", str(self.folder / "hosts.json")]

    def _run(self, *command: str, **values: str) -> subprocess.CompletedProcess[str]:
        environment = {
            k: v for k, v in os.environ.items() if not k.startswith(("ANSIBLE_", "MAKE"))
        }
        environment["ANSIBLE_COLLECTIONS_PATH"] = f"{self.folder}:{_collections()}"
        environment |= values
        return subprocess.run(
            command,
            cwd=self.empty,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )


def _collections() -> Path:
    """Directory of the collections that this one depends on, in Ansible's package."""
    import ansible_collections

    return Path(next(iter(ansible_collections.__path__))).parent


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Site:
    return Site(tmp_path_factory.mktemp("site"))


def contents(*, optional: bool, runtime: bool) -> dict[str, Any]:
    """Images on the build host: all, the images that every site runs, or none."""
    images = [each for each in catalogue() if runtime and (optional or not each.optional)]
    return {
        "images_contents": {
            "contents": {each.reference: {"id": "sha256:1", "components": []} for each in images}
        }
    }


CASES = {
    "status": (WELL, 0, "All is well.\n"),
    "status, a broker is down": (BAD, 2, "1 problem:\n  kafka1 is exited\n"),
    "verify": (WELL, 0, "verify: no drift\n"),
    "verify, drift": (BAD, 2, "verify: 1 setting(s) drifted\n"),
    "replicas": (WELL, 0, "m1: 1 replicas are equal to another one\n"),
    "replicas, two differ": (BAD, 2, "m1: DIFFERENT: a-0 at 5\n"),
    "versions": (contents(optional=True, runtime=True), 0, "control node\n"),
    "versions, no monitoring": (contents(optional=False, runtime=True), 0, "not on the build host"),
    "versions, no images": (contents(optional=False, runtime=False), 2, "build them with `make"),
    "groups": ({}, 0, "  Empty        0   12  payments\n"),
    "export": ({}, 0, "kafka_content_users: {}\n"),
    "access, without security": ({}, 2, "security_mode is plain"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_playbook_prints_its_screen_and_sets_the_exit_code(site: Site, case: str):
    variables, code, text = CASES[case]
    site.declare(variables)

    done = site.playbook(case.split(",")[0])

    assert text in done.stdout, done.stdout + done.stderr
    assert done.returncode == code, done.stdout + done.stderr
    assert not list(site.empty.iterdir())


def test_support_prints_size_and_path_of_the_archive(site: Site):
    # Unreachable machines have no data; the module that writes the archive is replaced.
    site.declare({}, groups=("metal", "kafka"), **AWAY)

    done = site.playbook("support")

    assert f"2 KiB {site.folder}/state/support.tar.gz\n" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0


def test_access_prints_the_files_of_a_user(site: Site):
    site.declare(
        {},
        security_mode="tls_scram",
        security_machines=False,
        security_password_file=str(site.folder / "password"),
        kafka_content_users={"shop": {}},
    )
    made = site.playbook("credentials")
    assert made.returncode == 0, made.stdout + made.stderr

    done = site.make("access", U="shop")

    assert done.returncode == 0, done.stdout + done.stderr
    files = [Path(line) for line in done.stdout.splitlines()]
    assert site.folder / "state/users/shop/client.conf" in files
    assert all(each.is_file() for each in files)
    unknown = site.verb("access", U="{{ lookup('pipe', 'touch CANARY') }}")
    assert unknown.returncode == 2
    assert "allowed, as declared: demo, operator, shop" in unknown.stderr
    assert not list(site.folder.rglob("CANARY"))


def test_the_report_has_the_counts_of_this_run(site: Site):
    pipeline = {"demo_counts": DEMO, "pipeline_platform_status": {}}
    site.declare(pipeline, groups=(*GROUPS, "pipeline"), pipeline_shared_dir="/srv")
    # It creates the state directory.
    site.playbook("status")
    (site.folder / "state/demo.json").write_text("an earlier run")

    done = site.playbook("demo")

    assert "Run r1: 3 payments sent, 3 acknowledged, 0 failed; counts reconcile\n" in done.stdout
    assert "All is well.\n\nNext:\n  make status " in done.stdout
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_report_with_problems_sets_the_exit_code(site: Site):
    site.declare(BAD)

    done = site.verb("demo")

    steps, report = done.stdout.split("\nCluster unit\n")
    assert "TASK" not in steps
    assert "STEPS" not in done.stdout
    assert report.splitlines()[-2].startswith("Failed after ")
    assert report.splitlines()[-1] == f"All tasks: {site.folder}/state/demo.log"
    assert "1 problem:\n  kafka1 is exited\n" in report
    assert done.returncode == 2, done.stdout + done.stderr


def test_with_a_limit_there_is_no_report(site: Site):
    site.declare(BAD)

    done = site.playbook("demo", "--limit=m2")

    assert "With --limit, the state of all services was not read: run `make status`." in done.stdout
    assert "Cluster unit" not in done.stdout
    assert "RAN" not in done.stdout
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("verb", ["up", "demo"])
def test_up_and_demo_end_with_the_report(verb: str):
    steps = yaml.safe_load((ROOT / f"playbooks/{verb}.yml").read_text())

    assert steps[-1]["ansible.builtin.import_playbook"] == "internal_report.yml"


@pytest.mark.parametrize(
    ("case", "code"), [("status", 0), ("status, a broker is down", 2), ("groups", 0), ("export", 0)]
)
def test_make_prints_only_the_screen(site: Site, case: str, code: int):
    verb = case.split(",")[0]
    site.declare(CASES[case][0])
    alone = site.playbook(verb).stdout

    done = site.make(verb)

    assert done.returncode == code, done.stdout + done.stderr
    assert done.stdout
    assert done.stdout in alone
    assert "PLAY" not in done.stdout + done.stderr
    log = (site.folder / f"state/{verb}.log").read_text()
    assert "PLAY RECAP" in log
    assert "\x1b" not in log


def test_a_screen_names_unreachable_machines(site: Site):
    site.declare({}, away=True)

    done = site.make("verify")

    assert "verify: no drift\n" in done.stdout
    log = site.folder / "state/verify.log"
    lines = done.stderr.splitlines()
    assert lines[0].startswith("m2 unreachable: ")
    end = lines.index("verify: unreachable machines: m2")
    assert lines[end + 1] == f"All tasks: {log}"
    assert "UNREACHABLE!" not in done.stderr
    assert site.verb("verify").returncode == 4


def test_a_failed_step_is_printed_with_its_cause(site: Site):
    site.declare({"fails": "host/verify"})

    done = site.verb("verify")

    assert done.returncode == 2
    # The table of the other machines.
    assert "m2: 1 settings, no drift\n" in done.stdout
    assert "TASK" not in done.stdout
    assert done.stderr.splitlines() == [
        "m1 failed: Fail",
        "  failure of the test",
        f"All tasks: {site.folder}/state/verify.log",
    ]


def test_names_from_the_cluster_are_printed_as_text(site: Site):
    site.declare({})

    for verb in ("groups", "export"):
        done = site.make(verb)
        assert "CANARY" in done.stdout
        assert all(line.isprintable() for line in done.stdout.splitlines())
    assert not list(site.folder.rglob("CANARY"))


def test_an_inventory_without_hosts_is_refused(site: Site):
    (site.folder / "hosts.json").write_text(json.dumps({"all": {}}))

    for done in (site.playbook("groups"), site.make("groups")):
        assert done.returncode == 2
        assert "the inventory has no hosts" in done.stdout + done.stderr


@pytest.mark.parametrize("name", ["status", "up"])
def test_an_inventory_without_machines_is_refused(site: Site, name: str):
    site.declare({}, groups=("kafka",))
    done = site.playbook(name)

    assert done.returncode == 2
    assert "no hosts in group metal, which are the machines; its groups: kafka" in done.stdout


@pytest.mark.parametrize("name", ["status", "groups"])
def test_a_cluster_that_was_never_started_is_refused(site: Site, name: str):
    site.declare({})
    shutil.rmtree(site.folder / "etc")
    # Directory of a cluster whose name starts with this one's.
    site.create_service_directory("unit-eu")
    done = site.playbook(name)

    assert done.returncode == 2
    assert "cluster unit was never started, or was deleted: found no directory" in done.stdout
    assert "make up" in done.stdout


@pytest.mark.parametrize("name", ["verify", "groups", "export", "replicas"])
def test_verbs_that_only_read_begin_with_the_same_checks(name: str):
    steps = yaml.safe_load((ROOT / f"playbooks/{name}.yml").read_text())

    imported = [step.get("ansible.builtin.import_playbook") for step in steps]
    # Of the run, and of whether the cluster was started.
    assert imported[0] == "internal_begin.yml"
    assert "internal_brought_up.yml" in imported
