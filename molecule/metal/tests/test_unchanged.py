"""A site as its last run left it is not compared again, and whatever somebody touched is mended."""

import pytest
from testing.cluster import Cluster
from testing.playbooks import changes, run
from testing.settings import Settings

UNCHANGED = "are unchanged since the last complete run"
# Of the network namespace, so of one node alone.
OWN = "net.ipv4.tcp_slow_start_after_idle"
# Nothing that a container reads before it restarts.
FILE = "log4j.properties"


@pytest.fixture
def unchanged(cluster: Cluster) -> Cluster:
    """A site that a whole run has just left."""
    run("site")
    return cluster


def compared(done) -> bool:
    """Whether hosts were compared with their declarations."""
    return "Kernel, disks and limits are as wanted" in done.stdout


def started(cluster: Cluster) -> dict[str, str]:
    """When each container was started."""
    return {
        each.container: cluster.container(each).started() for each in cluster.topology.instances
    }


def test_nothing_is_compared_where_nothing_has_changed(unchanged: Cluster):
    before = started(unchanged)
    done = run("site")

    assert UNCHANGED in done.stdout
    assert not compared(done)
    assert changes(done) == 0
    assert started(unchanged) == before


def test_what_was_only_stopped_starts_again_and_is_not_compared(unchanged: Cluster):
    before = started(unchanged)
    run("down")
    done = run("site")

    assert UNCHANGED in done.stdout
    assert not compared(done)
    unchanged.wait_until_whole()
    after = started(unchanged)
    assert set(after) == set(before)
    assert not set(after.values()) & set(before.values())
    assert changes(run("site")) == 0


def test_a_plan_and_whoever_asks_for_it_compare_everything(unchanged: Cluster):
    planned = run("site", "--check")
    asked = run("site", extra={"compare": "everything"})

    for done in (planned, asked):
        assert UNCHANGED not in done.stdout
        assert compared(done)
        assert changes(done) == 0


def test_whatever_somebody_touched_is_named_and_mended(unchanged: Cluster):
    first, second, third = unchanged.topology.machines[:3]
    broker = next(b for b in unchanged.topology.brokers.values() if b.machine == first)
    server = next(z for z in unchanged.topology.zookeepers.values() if z.machine == third)
    path = f"/etc/kafka-metal/{broker.container}/{FILE}"
    declared = unchanged.shell(first).file(path).content_string
    unchanged.shell(first).check_output("echo '# by hand' >> %s", path)
    unchanged.shell(second).check_output("sysctl --write %s=1", OWN)
    unchanged.shell(third).check_output("docker stop %s", server.container)

    done = run("site")

    output = " ".join(done.stdout.split())
    assert f"{first}: file {path} has changed" in output
    assert f"{second}: {OWN} becomes 0, was 1" in output
    assert f"{third}: container {server.container} is stopped" in output
    assert unchanged.shell(first).file(path).content_string == declared
    assert unchanged.shell(second).sysctl(OWN) == 0
    unchanged.wait_until_whole()
    assert UNCHANGED in run("site").stdout


def test_limits_of_a_container_changed_by_hand_are_named_and_put_right(unchanged: Cluster):
    one, other = list(unchanged.topology.brokers.values())[:2]
    limits = "{{.HostConfig.Memory}} {{.HostConfig.MemorySwap}} {{.HostConfig.NanoCpus}}"

    def found() -> list[str]:
        return [
            unchanged.machine(each).check_output("docker inspect -f %s %s", limits, each.container)
            for each in (one, other)
        ]

    before = found()
    # Below the declared limit: the engine would refuse to raise memory alone over what swap allows.
    by_hand = "--memory 1100m --memory-swap 1100m"
    unchanged.machine(one).check_output(f"docker update {by_hand} %s", one.container)
    unchanged.machine(other).check_output("docker update --cpus 0.9 %s", other.container)
    assert found() != before

    planned = run("site", "--check", "--diff")
    run("site")

    assert changes(planned) > 0
    assert found() == before
    unchanged.wait_until_whole()
    assert UNCHANGED in run("site").stdout


def test_a_setting_of_running_brokers_changed_by_hand_is_put_right(unchanged: Cluster):
    settings = Settings(unchanged.topology.bootstrap)
    settings.change(2, {"num.io.threads": "4"})

    done = run("site")

    assert "live settings of brokers have changed since the last complete run" in done.stdout
    assert settings.of_brokers([2], "num.io.threads") == {2: "8"}


def test_another_declaration_is_carried_out(unchanged: Cluster):
    changed = {"kafka_broker_properties": {"num.network.threads": 8, "num.io.threads": 16}}
    settings = Settings(unchanged.topology.bootstrap)
    try:
        done = run("site", extra=changed)
        threads = settings.of_brokers(unchanged.topology.brokers, "num.io.threads")
    finally:
        run("site")

    assert changes(done) > 0
    assert set(threads.values()) == {"16"}
