import pytest
from kafka_metal_watch.probe import ProbeMetrics, next_round, payload, placement, sent_at
from prometheus_client import CollectorRegistry


def test_placement_gives_each_broker_one_leader_and_distinct_replicas():
    placed = placement([3, 1, 2, 7], copies=3)
    assert [replicas[0] for replicas in placed] == [1, 2, 3, 7]
    assert all(len(set(replicas)) == 3 for replicas in placed)


def test_placement_on_one_broker_has_one_replica():
    assert placement([5], copies=3) == [[5]]


def test_a_payload_has_the_time_of_sending_and_the_run():
    assert sent_at(payload(17, 1234.5), run=17) == 1234.5


@pytest.mark.parametrize("value", [None, b"", b"another client's", payload(16, 1.0)])
def test_records_of_other_runs_and_clients_are_ignored(value):
    assert sent_at(value, run=17) is None


def test_rounds_are_regular_and_missed_rounds_are_skipped():
    assert next_round(now=10.05, due=10.0, interval=0.1) == pytest.approx(10.1)
    # After a delay of 30 s the next round is due in 0.1 s; 300 rounds are skipped.
    assert next_round(now=40.0, due=10.0, interval=0.1) == pytest.approx(40.1)


def test_times_of_a_partition_start_with_the_probe():
    registry = CollectorRegistry()
    metrics = ProbeMetrics(registry, now=90.0)
    metrics.begin([0, 1], now=100.0)
    metrics.was_acknowledged(1, sent=130.0, now=130.02)
    name = "kafka_metal_probe_acknowledged_time_seconds"
    assert registry.get_sample_value(name, {"partition": "0"}) == 100.0
    assert registry.get_sample_value(name, {"partition": "1"}) == 130.02


def test_the_histogram_has_the_bucket_of_the_objective():
    registry = CollectorRegistry()
    metrics = ProbeMetrics(registry, now=0.0)
    metrics.begin([0], now=0.0)
    metrics.was_acknowledged(0, sent=10.0, now=10.9)
    metrics.was_acknowledged(0, sent=10.0, now=11.1)
    name = "kafka_metal_probe_acknowledgement_seconds_bucket"
    assert registry.get_sample_value(name, {"partition": "0", "le": "1.0"}) == 1


def test_times_of_an_unreachable_cluster_start_with_the_probe():
    registry = CollectorRegistry()
    metrics = ProbeMetrics(registry, now=100.0)
    name = "kafka_metal_probe_acknowledged_time_seconds"
    assert registry.get_sample_value(name, {"partition": "unknown"}) == 100.0
    metrics.begin([0], now=130.0)
    assert registry.get_sample_value(name, {"partition": "unknown"}) is None
    assert registry.get_sample_value(name, {"partition": "0"}) == 130.0
