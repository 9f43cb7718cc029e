"""What goes into the pipeline comes out, counted record by record."""

from testing.cluster import Cluster


def test_every_payment_is_accepted_or_invalid_and_every_fraud_is_found(cluster: Cluster):
    with cluster.stream(count=20_000, rate=1000) as stream:
        ledger = stream.finish(seconds=120)
        # Ends with an error unless sent = accepted + invalid and frauds = fraudulent_payments.
        stream.reconcile()

    assert ledger["acknowledged"] == 20_000
    # The generator plants both; without them nothing was proved.
    assert ledger["frauds"] > 0
    assert ledger["invalid"] > 0
