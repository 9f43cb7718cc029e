"""An unchanged site is not compared again; changes by hand are reported and corrected."""

import pytest
from testing.cluster import Cluster
from testing.playbooks import changes, run
from testing.settings import Settings

UNCHANGED = "are unchanged since the last complete run"
# A key of the network namespace: each node has its own value.
OWN = "net.ipv4.tcp_slow_start_after_idle"
# A file that a container reads only at its start.
FILE = "log4j.properties"


@pytest.fixture
def unchanged(cluster: Cluster) -> Cluster:
    """A site after a complete run."""
    run("site")
    return cluster


def compared(done) -> bool:
    """Whether hosts were compared with their declarations: such a run has this task."""
    return "Apply settings of kernel, disks and limits" in done.stdout


def started(cluster: Cluster) -> dict[str, str]:
    """Return the start time of each container."""
    return {
        each.container: cluster.container(each).started() for each in cluster.topology.instances
    }


def test_an_unchanged_site_is_not_compared(unchanged: Cluster):
    before = started(unchanged)
    done = run("site")

    assert UNCHANGED in done.stdout
    assert not compared(done)
    assert changes(done) == 0
    assert started(unchanged) == before


def test_a_stopped_site_starts_without_a_comparison(unchanged: Cluster):
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


def test_a_plan_compares_what_a_run_compares(unchanged: Cluster):
    done = run("site", "--check")

    assert UNCHANGED in done.stdout
    assert not compared(done)
    assert changes(done) == 0


def test_the_option_compares_everything(unchanged: Cluster):
    for options in (("--check",), ()):
        done = run("site", *options, extra={"compare": "everything"})
        assert UNCHANGED not in done.stdout
        assert compared(done)
        assert changes(done) == 0


def test_changes_by_hand_are_reported_and_corrected(unchanged: Cluster):
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


def test_limits_of_a_container_changed_by_hand_are_restored(unchanged: Cluster):
    one, other = list(unchanged.topology.brokers.values())[:2]
    limits = "{{.HostConfig.Memory}} {{.HostConfig.MemorySwap}} {{.HostConfig.NanoCpus}}"

    def found() -> list[str]:
        return [
            unchanged.machine(each).check_output("docker inspect -f %s %s", limits, each.container)
            for each in (one, other)
        ]

    before = found()
    # Below the declared limit: the engine refuses to raise memory above the limit of swap.
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


def test_a_setting_of_running_brokers_changed_by_hand_is_restored(unchanged: Cluster):
    settings = Settings(unchanged.topology.bootstrap)
    settings.change(2, {"num.io.threads": "4"})

    done = run("site")

    assert "live settings of brokers have changed since the last complete run" in done.stdout
    assert settings.of_brokers([2], "num.io.threads") == {2: "8"}


def test_a_changed_declaration_is_applied(unchanged: Cluster):
    changed = {"kafka_broker_properties": {"num.network.threads": 8, "num.io.threads": 16}}
    settings = Settings(unchanged.topology.bootstrap)
    try:
        done = run("site", extra=changed)
        threads = settings.of_brokers(unchanged.topology.brokers, "num.io.threads")
    finally:
        run("site")

    assert changes(done) > 0
    assert set(threads.values()) == {"16"}
