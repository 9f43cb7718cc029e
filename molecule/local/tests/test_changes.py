"""A changed setting costs what it concerns: brokers one at a time, nothing else."""

from testing.cluster import Cluster

SETTING = '{"kafka_broker_properties": {"log.retention.check.interval.ms": 240000}}'


def test_a_changed_broker_setting_restarts_only_brokers_one_by_one_and_loses_nothing(
    cluster: Cluster, make
):
    brokers = {b: cluster.broker(b) for b in cluster.topology.brokers}
    others = [
        cluster.container(instance)
        for instance in cluster.topology.instances
        if instance not in cluster.topology.brokers.values()
    ]
    others_before = [container.started() for container in others]
    before = {number: broker.started() for number, broker in brokers.items()}

    with cluster.stream(count=90_000, rate=750) as stream:
        changed = make("up", args=f"-e '{SETTING}'")
        ledger = stream.finish(seconds=240)
        account = stream.account()
    restarts = sorted((broker.started(), number) for number, broker in brokers.items())
    make("up")

    assert changed.returncode == 0, changed.stdout[-3000:]
    assert all(broker.started() != before[number] for number, broker in brokers.items())
    assert [container.started() for container in others] == others_before
    # Each restart is a play of its own with a gate before and health after it.
    assert changed.stdout.count("Cluster can do without this broker") == len(restarts)
    assert ledger["acknowledged"] == account["found"] == 90_000
    assert account["lost_offsets"] == {}
