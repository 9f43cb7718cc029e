"""A setting with which brokers cannot start stops at the first one, which is restored."""

import re

import pytest
from testing import playbooks
from testing.cluster import Cluster
from testing.rolls import assert_nothing_lost, restarted, starts
from testing.traffic import Traffic

BROKEN = {"kafka_broker_properties": {"queued.max.requests": 0}}


@pytest.fixture
def kept(cluster: Cluster):
    """The last good declaration of every broker is the current one."""
    playbooks.run("kafka")
    return cluster


def test_only_one_broker_restarts_is_restored_and_the_message_names_the_key(kept: Cluster):
    before, controller = starts(kept), kept.brokers.controller()

    with Traffic(kept.topology.bootstrap) as traffic:
        failed = playbooks.run("kafka", extra=BROKEN, check=False)
    result = traffic.verify()
    affected = restarted(before, starts(kept))
    kept.wait_until_whole()

    assert failed.returncode != 0
    assert len(affected) == 1
    assert controller not in affected
    machine = kept.topology.brokers[affected[0]].machine
    assert f"{machine}: the kafka broker did not become healthy as declared" in failed.stdout
    # Other keys may be listed too: these variables replace those of the scenario's inventory.
    assert re.search(r"server\.properties: .*\bqueued\.max\.requests", failed.stdout)
    assert "last good declaration was restored, and the cluster is healthy" in failed.stdout
    assert_nothing_lost(result)
    assert playbooks.changes(playbooks.run("kafka")) == 0
