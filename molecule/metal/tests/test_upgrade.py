"""Kafka is upgraded, rolled back, and upgraded for good, without lost or late records."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from testing.cluster import Cluster
from testing.playbooks import run
from testing.rolls import BUSY_GAP_SECONDS
from testing.settings import Settings
from testing.traffic import Traffic

OLD = {"image_versions": {"kafka": "3.8.1"}}
PROTOCOL = "inter.broker.protocol.version"
FINISH = {"upgrade_finish": True}


@dataclass
class Upgraded:
    """The versions and protocols of the brokers."""

    cluster: Cluster

    def versions(self) -> set[str]:
        """Return the versions of Kafka in the names of the brokers' images."""
        images = {
            self.cluster.broker(broker).inspect()["Config"]["Image"]
            for broker in self.cluster.topology.brokers
        }
        return {image.rpartition(":")[2].split("-")[0] for image in images}

    def protocols(self) -> set[str]:
        """Return the effective protocol versions of the brokers, such as 3.9."""
        settings = Settings(self.cluster.topology.bootstrap)
        protocols = settings.of_brokers(self.cluster.topology.brokers, PROTOCOL)
        return {str(version).split("-")[0] for version in protocols.values()}

    def started(self) -> list[str]:
        """Return the start times of the brokers, in order."""
        return sorted(self.cluster.broker(b).started() for b in self.cluster.topology.brokers)

    def roll(self, **extra: object) -> None:
        """Run one step of the upgrade under load; assert that no record is lost or late."""
        before = self.started()
        with Traffic(self.cluster.topology.bootstrap) as traffic:
            run("upgrade", extra=extra)
        result = traffic.verify()
        print(f"{extra}: {result.acknowledged} records, longest gap {result.longest_gap:.2f} s")
        # The brokers restarted one after the other, so both versions served together.
        assert len(set(self.started())) == len(before)
        assert not set(self.started()) & set(before)
        assert (result.lost, result.errors) == ([], {})
        assert result.acknowledged == result.sent
        assert result.longest_gap <= BUSY_GAP_SECONDS

    def refused(self, playbook: str = "upgrade", **extra: object) -> str:
        """Return the output of a run that has to fail without a restart."""
        before = self.started()
        done = run(playbook, extra=extra, check=False)
        assert done.returncode != 0
        assert self.started() == before
        return " ".join(done.stdout.split())


@pytest.fixture
def old(platform: Cluster) -> Iterator[Upgraded]:
    """Create the cluster with the old version; at the end it has the inventory's version."""
    name = platform.topology.cluster
    run("destroy", extra={"confirm_destroy": name})
    run("site", extra=OLD)
    platform.wait_until_whole()
    upgraded = Upgraded(platform)
    yield upgraded
    if upgraded.versions() == {"3.8.1"} or upgraded.protocols() == {"3.8"}:
        run("destroy", extra={"confirm_destroy": name})
        run("site")


def test_a_cluster_is_upgraded_rolled_back_and_upgraded_for_good(old: Upgraded):
    assert (old.versions(), old.protocols()) == ({"3.8.1"}, {"3.8"})
    new = run_new_version(old)

    # A rollback is possible while the protocol is the old one.
    old.roll(**OLD)
    assert (old.versions(), old.protocols()) == ({"3.8.1"}, {"3.8"})
    old.roll()
    assert (old.versions(), old.protocols()) == (new, {"3.8"})

    # For good.
    assert "the protocol can be raised once every broker runs 3.8.1" in old.refused(**OLD, **FINISH)
    old.roll(**FINISH)
    assert (old.versions(), old.protocols()) == (new, {"3.9"})
    for playbook in ("upgrade", "kafka"):
        assert "a downgrade below 3.9 is not possible" in old.refused(playbook, **OLD)


def run_new_version(old: Upgraded) -> set[str]:
    """Run the first step; before, assert that an unhealthy cluster is refused without a restart."""
    broker = old.cluster.topology.brokers[3]
    machine = old.cluster.machine(broker)
    machine.check_output("docker stop -t 60 %s", broker.container)
    before = [old.cluster.broker(number).started() for number in (1, 2)]
    done = run("upgrade", check=False)
    assert done.returncode != 0
    output = " ".join(done.stdout.split())
    assert "the cluster is not healthy: broker 3 is not registered" in output
    assert [old.cluster.broker(number).started() for number in (1, 2)] == before
    machine.check_output("docker start %s", broker.container)
    old.cluster.wait_until_whole()

    old.roll()
    new = old.versions()
    assert len(new) == 1
    assert new != {"3.8.1"}
    assert old.protocols() == {"3.8"}
    return new
