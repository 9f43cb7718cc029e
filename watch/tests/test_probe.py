import pytest
from kafka_metal_watch.probe import Score, missed, payload, placement, sent_at
from prometheus_client import CollectorRegistry


def test_every_broker_leads_one_partition_and_no_replica_stands_twice():
    placed = placement([3, 1, 2, 7], copies=3)
    assert [replicas[0] for replicas in placed] == [1, 2, 3, 7]
    assert all(len(set(replicas)) == 3 for replicas in placed)


def test_one_broker_holds_one_copy():
    assert placement([5], copies=3) == [[5]]


def test_a_record_says_when_it_was_sent_and_by_which_run():
    assert sent_at(payload(17, 1234.5), run=17) == 1234.5


@pytest.mark.parametrize("value", [None, b"", b"somebody else's", payload(16, 1.0)])
def test_records_of_others_are_not_counted(value):
    assert sent_at(value, run=17) is None


def test_rounds_keep_their_pace_and_are_not_made_up_for():
    assert missed(now=10.05, due=10.0, interval=0.1) == pytest.approx(10.1)
    # Held up for 30 s: the next round comes in a tenth, not 300 at once.
    assert missed(now=40.0, due=10.0, interval=0.1) == pytest.approx(40.1)


def test_a_partition_that_never_answered_is_silent_since_the_probe_began():
    registry = CollectorRegistry()
    score = Score(registry, now=90.0)
    score.begin([0, 1], now=100.0)
    score.was_acknowledged(1, sent=130.0, now=130.02)
    name = "kafka_metal_probe_acknowledged_time_seconds"
    assert registry.get_sample_value(name, {"partition": "0"}) == 100.0
    assert registry.get_sample_value(name, {"partition": "1"}) == 130.02


def test_a_second_is_a_border_of_the_histogram_that_alerts_read():
    registry = CollectorRegistry()
    score = Score(registry, now=0.0)
    score.begin([0], now=0.0)
    score.was_acknowledged(0, sent=10.0, now=10.9)
    score.was_acknowledged(0, sent=10.0, now=11.1)
    name = "kafka_metal_probe_acknowledgement_seconds_bucket"
    assert registry.get_sample_value(name, {"partition": "0", "le": "1.0"}) == 1


def test_a_cluster_that_never_answered_is_silent_since_the_probe_began():
    registry = CollectorRegistry()
    score = Score(registry, now=100.0)
    name = "kafka_metal_probe_acknowledged_time_seconds"
    assert registry.get_sample_value(name, {"partition": "unknown"}) == 100.0
    score.begin([0], now=130.0)
    assert registry.get_sample_value(name, {"partition": "unknown"}) is None
    assert registry.get_sample_value(name, {"partition": "0"}) == 130.0
