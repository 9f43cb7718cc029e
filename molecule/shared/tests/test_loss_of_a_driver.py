"""The driver of the pipeline is killed during a stream."""

import json
from collections import Counter

import pytest
from testing import topic_records
from testing.cluster import Cluster
from testing.waiting import NotYet, wait_for


@pytest.fixture(scope="module")
def ledger(platform: Cluster) -> dict:
    platform.wait_until_whole()
    return platform.stream_during_kill(platform.driver())


def test_every_payment_is_archived_once_and_no_result_is_missing(ledger):
    assert ledger["acknowledged"] == 30_000


@pytest.mark.usefixtures("ledger")
def test_a_transactional_output_has_every_result_exactly_once(cluster: Cluster):
    """The other output has the same query, and may repeat results."""
    bootstrap = cluster.topology.bootstrap

    def payments(topic: str) -> Counter[str]:
        values = (each.value() for each in topic_records.records(bootstrap, topic))
        return Counter(json.loads(value)["paymentId"] for value in values)

    def all_committed() -> Counter[str]:
        once, repeated = payments("fraud_once"), payments("fraudulent_payments")
        if missing := set(repeated) ^ set(once):
            raise NotYet(f"{len(missing)} of {len(repeated)} payments are in one topic only")
        return once

    once = wait_for("both outputs have the same payments", all_committed, seconds=120)
    assert len(once) >= 300
    assert max(once.values()) == 1
