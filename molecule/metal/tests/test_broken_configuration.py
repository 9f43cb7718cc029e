"""A setting that no broker can live with stops at the first one, which goes back to what it had."""

import re

import pytest
from testing import playbooks
from testing.cluster import Cluster
from testing.rolls import assert_nothing_lost, restarted, starts
from testing.traffic import Traffic

BROKEN = {"kafka_broker_properties": {"queued.max.requests": 0}}


@pytest.fixture
def kept(cluster: Cluster):
    """Every broker has a last good declaration that is the present one."""
    playbooks.run("kafka")
    return cluster


def test_one_broker_is_touched_and_brought_back_and_the_message_names_the_key(kept: Cluster):
    before, controller = starts(kept), kept.brokers.controller()

    with Traffic(kept.topology.bootstrap) as traffic:
        failed = playbooks.run("kafka", extra=BROKEN, check=False)
    result = traffic.verify()
    touched = restarted(before, starts(kept))
    kept.wait_until_whole()

    assert failed.returncode != 0
    assert len(touched) == 1
    assert controller not in touched
    machine = kept.topology.brokers[touched[0]].machine
    assert f"{machine}: the kafka broker did not become healthy as declared" in failed.stdout
    # With what the scenario's inventory sets itself, which these variables replace.
    assert re.search(r"server\.properties: .*\bqueued\.max\.requests", failed.stdout)
    assert "last good declaration was restored, and the cluster is healthy" in failed.stdout
    assert_nothing_lost(result)
    assert playbooks.changes(playbooks.run("kafka")) == 0
