"""Inputs and outputs of the pipeline are reconciled."""

from testing.cluster import Cluster


def test_every_payment_is_accepted_or_invalid_and_every_fraud_is_found(cluster: Cluster):
    with cluster.stream(count=20_000, rate=1000) as stream:
        ledger = stream.finish(seconds=120)
        # Fails unless sent = accepted + invalid and frauds = fraudulent_payments.
        stream.reconcile()

    assert ledger["acknowledged"] == 20_000
    # The generator creates both; without them the test would check nothing.
    assert ledger["frauds"] > 0
    assert ledger["invalid"] > 0
