"""A compromised monitoring service can read its own keys only."""

import pytest
from testing import sandbox
from testing.cluster import Cluster
from testing.sandbox import Sandbox

MONITORING = {"prometheus", "alertmanager", "node_exporter", "metrics_proxy", "probe", "exporter"}
CONFIGURATION = "/etc/kafka-metal"

# Reads all mounts of the container, and in each further /proc the environment of processes and the
# configuration in their root. Prints lines "process PATH" and "HASH  PATH".
SEARCH = r"""
files() { find "$@" -type f -readable -size -64k -exec sha256sum {} + 2> /dev/null; }
while read -r _ at kind _; do
    case $at in / | /proc | /proc/* | /sys | /sys/* | /dev | /dev/*) continue ;; esac
    [ "$kind" = proc ] || { files "$at" -xdev; continue; }
    for process in "$at"/[0-9]*; do
        if cat "$process/environ" > /dev/null 2>&1; then echo "process $process"; fi
        [ ! -r "$process/root/etc" ] || files "$process/root/etc/"
    done
done < /proc/self/mounts
"""


@pytest.fixture(scope="module")
def monitoring(platform: Cluster) -> list[Sandbox]:
    found = [each for each in sandbox.of(platform) if each.service in MONITORING]
    assert "node_exporter" in {each.service for each in found}
    return found


def secrets(machine) -> list[tuple[str, str]]:
    """Return hash and path of each file that only its owner can read."""
    lines = machine.check_output(
        "find %s -type f ! -perm /077 -size +0 -exec sha256sum {} +", CONFIGURATION
    ).splitlines()
    return [(hash_, path) for hash_, path in (line.split(maxsplit=1) for line in lines)]


def test_no_monitoring_service_reads_secrets_of_another(monitoring: list[Sandbox]):
    for each in monitoring:
        hidden = secrets(each.machine)
        own = {hash_ for hash_, path in hidden if path.startswith(f"{CONFIGURATION}/{each.name}/")}
        foreign = {hash_: path for hash_, path in hidden if hash_ not in own}
        assert foreign, "this machine has no secrets of other services"
        found = each.run("timeout", "120", "bash", "-c", SEARCH)
        assert found.rc in (0, 1), (each, found.stderr)
        lines = [line.split(maxsplit=1) for line in found.stdout.splitlines()]
        assert [path for kind, path in lines if kind == "process"] == [], each
        assert {foreign[hash_] for hash_, _ in lines if hash_ in foreign} == set(), each


def test_the_node_exporter_has_its_own_user(monitoring: list[Sandbox], platform: Cluster):
    others = {
        user
        for each in sandbox.of(platform)
        if each.service != "node_exporter"
        for user in each.users()
    }
    for each in monitoring:
        if each.service == "node_exporter":
            assert not each.users() & (others | {0}), each
