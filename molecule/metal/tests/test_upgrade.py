"""From one version of Kafka to the next, back, and for good: no record is lost, nobody waits."""

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
    """What the brokers run and speak."""

    cluster: Cluster

    def versions(self) -> set[str]:
        """Versions of the programs, as the names of the images say."""
        images = {
            self.cluster.broker(broker).inspect()["Config"]["Image"]
            for broker in self.cluster.topology.brokers
        }
        return {image.rpartition(":")[2].split("-")[0] for image in images}

    def protocols(self) -> set[str]:
        """Protocols in force, in two numbers."""
        settings = Settings(self.cluster.topology.bootstrap)
        spoken = settings.of_brokers(self.cluster.topology.brokers, PROTOCOL)
        return {str(version).split("-")[0] for version in spoken.values()}

    def started(self) -> list[str]:
        """Times at which the brokers started, in order."""
        return sorted(self.cluster.broker(b).started() for b in self.cluster.topology.brokers)

    def roll(self, **extra: object) -> None:
        """One step of the upgrade while records are sent: none is lost, none is late."""
        before = self.started()
        with Traffic(self.cluster.topology.bootstrap) as traffic:
            run("upgrade", extra=extra)
        result = traffic.verify()
        print(f"{extra}: {result.acknowledged} records, longest gap {result.longest_gap:.2f} s")
        # One after the other, so that for a while the versions were mixed: this is what served.
        assert len(set(self.started())) == len(before)
        assert not set(self.started()) & set(before)
        assert (result.lost, result.errors) == ([], {})
        assert result.acknowledged == result.sent
        assert result.longest_gap <= BUSY_GAP_SECONDS

    def refused(self, playbook: str = "upgrade", **extra: object) -> str:
        """What a run says that must fail before anything is touched."""
        before = self.started()
        done = run(playbook, extra=extra, check=False)
        assert done.returncode != 0
        assert self.started() == before
        return " ".join(done.stdout.split())


@pytest.fixture
def old(platform: Cluster) -> Iterator[Upgraded]:
    """The cluster as it was built with the old version; in the end, as the inventory says."""
    name = platform.topology.cluster
    run("destroy", extra={"confirm_destroy": name})
    run("site", extra=OLD)
    platform.wait_until_whole()
    upgraded = Upgraded(platform)
    yield upgraded
    if upgraded.versions() == {"3.8.1"} or upgraded.protocols() == {"3.8"}:
        run("destroy", extra={"confirm_destroy": name})
        run("site")


def test_a_cluster_goes_to_the_next_version_back_and_for_good(old: Upgraded):
    assert (old.versions(), old.protocols()) == ({"3.8.1"}, {"3.8"})
    new = run_new_version(old)

    # Back, as long as the protocol is the old one.
    old.roll(**OLD)
    assert (old.versions(), old.protocols()) == ({"3.8.1"}, {"3.8"})
    old.roll()
    assert (old.versions(), old.protocols()) == (new, {"3.8"})

    # For good.
    assert "the protocol is raised when every broker runs 3.8.1" in old.refused(**OLD, **FINISH)
    old.roll(**FINISH)
    assert (old.versions(), old.protocols()) == (new, {"3.9"})
    for playbook in ("upgrade", "kafka"):
        assert "a downgrade below 3.9 is not possible" in old.refused(playbook, **OLD)


def run_new_version(old: Upgraded) -> set[str]:
    """The first step; a sick cluster is not upgraded, and nothing of it touched."""
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
