"""Properties of ZooKeeper servers: typos of its keys are refused, keys of plugins are not."""

from pathlib import Path

import pytest
import yaml
from ansible_collections.metal.kafka.plugins.plugin_utils._site.zookeeper_keys import (
    read_keys,
    typo_of,
)
from preflight_sites import Faults, ValidSite, validated

ROOT = Path(__file__).resolve().parents[2]


def declared(*keys: str, **others: object):
    def plant(site: ValidSite) -> None:
        for host in site.groups["zookeeper"]:
            site.hosts[host]["zookeeper_properties"] = dict.fromkeys(keys, 1)
            site.hosts[host].update(others)

    return plant


def found_by_check(plant):
    site = ValidSite()
    plant(site)
    return [each for each in validated(site) if each.check == "metadata_key_names"]


FAULTS: Faults = {
    "a typo": (
        declared("tickTme"),
        ["zookeeper: zookeeper_properties[tickTme]: found a key that ZooKeeper 3.9 does not "
         "have, and "
         "ignores; allowed: tickTime (did you mean that?)"],
    ),
    "other letters of TLS": (
        declared("ssl.quorum.truststore.location"),
        ["allowed: ssl.quorum.trustStore.location (did you mean that?)"],
    ),
}  # fmt: skip
NOTES: Faults = {
    "a version whose keys are not recorded": (
        declared("tickTme", image_versions={"zookeeper": "4.0.1"}),
        [
            "zookeeper: zookeeper_properties: not checked: keys of ZooKeeper 4.0, which are not "
            "recorded"
        ],
    ),
}


@pytest.mark.parametrize("name", [*FAULTS, *NOTES])
def test_typos_and_unknown_versions_are_reported_once(name):
    plant, parts = (FAULTS | NOTES)[name]
    (problem,) = found_by_check(plant)
    assert problem.fatal == (name in FAULTS)
    assert all(part in str(problem) for part in parts), str(problem)


@pytest.mark.parametrize(
    "keys",
    [
        ("ssl.quorum.handshakeDetectionTimeoutMillis", "snapCount", "fsync.warningthresholdms"),
        ("metricsProvider.httpPort", "authProvider.1", "superUser.1", "server.9", "group.1"),
        ("com.example.audit.folder",),
    ],
)
def test_keys_of_the_server_and_of_plugins_are_accepted(keys):
    assert found_by_check(declared(*keys)) == []


def test_an_own_image_is_not_checked():
    assert found_by_check(declared("tickTme", zookeeper_image="registry.example/zk:1")) == []


def test_keys_of_the_collections_version_are_recorded():
    version = yaml.safe_load((ROOT / "versions.yml").read_text())["zookeeper"]
    known = read_keys(".".join(version.split(".")[:2]))
    assert {"tickTime", "snapCount", "ssl.quorum.protocol", "metricsProvider."} < known
    # Every key that the role writes.
    role = yaml.safe_load((ROOT / "roles/zookeeper/vars/main.yml").read_text())
    for key in ("tickTime", "admin.enableServer", "4lw.commands.whitelist", "standaloneEnabled"):
        assert key in role["__zookeeper_properties"]
        assert typo_of(key, known) is None
        assert key in known
