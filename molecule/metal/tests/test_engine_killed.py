"""The container engine of a machine dies: status reports it, and the next run starts it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from testing import access, playbooks
from testing.cluster import HEAL_SECONDS, Cluster

MACHINE = "node2"
ENGINE = "docker.service docker.socket"


@pytest.fixture(scope="module")
def dead_engine(platform: Cluster) -> Iterator[None]:
    """The daemon of one machine is killed; its containers may run on."""
    platform.wait_until_whole()
    machine = platform.shell(MACHINE)
    machine.check_output(f"systemctl mask --runtime {ENGINE}")
    machine.check_output("systemctl kill --signal KILL docker.service")
    machine.run("systemctl stop docker.socket")
    machine.check_output(f"systemctl unmask --runtime {ENGINE}")
    assert machine.run("docker info").rc != 0
    try:
        yield
    finally:
        machine.run("systemctl start docker.service")
        # After a crash an engine without live-restore leaves its containers stopped.
        playbooks.run("site", seconds=1200)
        platform.wait_until_whole(HEAL_SECONDS)


@pytest.mark.usefixtures("dead_engine")
class TestDeadEngine:
    """The tests run in this order; the last one starts the engine."""

    def test_status_names_the_machine(self, platform: Cluster):
        playbooks.run("status", check=False)
        state = playbooks.state(platform.topology.cluster) / "state.json"
        problems = json.loads(state.read_text())["problems"]
        found = {(each["kind"], each["where"]): each for each in problems}
        assert f"engine of {MACHINE} does not respond" in found["EngineDown", MACHINE]["text"]

    def test_preflight_reports_it_once_and_no_conflict_with_ports_of_the_platform(self):
        output = playbooks.run("preflight").stdout
        assert f"no response from the engine of {MACHINE}" in output
        assert "used on" not in output

    def test_another_store_makes_no_new_keys(self, tmp_path: Path):
        store = tmp_path / "store.vault"
        refused = playbooks.run("credentials", extra={"security_store": str(store)}, check=False)
        assert refused.returncode != 0
        assert "it was created from another store" in refused.stdout
        assert not store.exists()

    def test_the_next_run_starts_it_before_it_is_used(self, platform: Cluster):
        before = access.librdkafka()
        planned = playbooks.run("site", "--check").stdout
        assert "container engine is started" in planned
        playbooks.run("site", seconds=1200)
        platform.wait_until_whole()
        assert platform.shell(MACHINE).run("docker info").rc == 0
        assert access.librdkafka() == before
