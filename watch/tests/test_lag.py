import pytest
from kafka_metal_watch.lag import SAMPLES, History, lags, members_by_topic


def history(*samples):
    result = History()
    for time, end in samples:
        result.add(time, end)
    return result


@pytest.mark.parametrize(
    ("offset", "passed"),
    [
        (100, 0.0),  # the first sample
        (150, 5.0),  # half way between two samples
        (200, 15.0),  # the last sample of 200
        (250, 21.25),  # a quarter of the way from 15 s to 40 s
        (50, 0.0),  # before the first sample: at least since then
    ],
)
def test_passed_interpolates_between_samples(offset, passed):
    assert history((0.0, 100), (10.0, 200), (15.0, 200), (40.0, 400)).passed(offset) == passed


def test_an_idle_topic_has_no_lag():
    known = {("t", 0): history((0.0, 100), (10.0, 100), (1000.0, 100))}
    (lag,) = lags("g", {("t", 0): 100}, {("t", 0): 100}, known, now=5000.0)
    assert (lag.records, lag.seconds) == (0, 0.0)


def test_lag_after_an_idle_time_counts_from_the_first_new_record():
    known = {("t", 0): history((0.0, 100), (500.0, 100), (1000.0, 100), (1015.0, 101))}
    (lag,) = lags("g", {("t", 0): 100}, {("t", 0): 101}, known, now=1020.0)
    assert (lag.records, lag.seconds) == (1, 20.0)


def test_lag_beyond_the_history_counts_from_the_first_sample():
    known = {("t", 0): history((100.0, 5000), (200.0, 6000))}
    (lag,) = lags("g", {("t", 0): 10}, {("t", 0): 6000}, known, now=260.0)
    assert (lag.records, lag.seconds) == (5990, 160.0)


def test_lag_skips_missing_commits_and_leaderless_partitions():
    known = {("t", 0): history((0.0, 1))}
    committed = {("t", 0): -1001, ("t", 1): 5}
    assert lags("g", committed, {("t", 0): 1}, known, now=1.0) == []


def test_lag_is_never_negative():
    known = {("t", 0): history((0.0, 100))}
    (lag,) = lags("g", {("t", 0): 120}, {("t", 0): 100}, known, now=1.0)
    assert (lag.records, lag.seconds) == (0, 0.0)


def test_a_recreated_topic_drops_old_samples():
    known = history((0.0, 1000), (10.0, 5), (20.0, 15))
    assert known.passed(10) == 15.0


def test_samples_are_limited_and_stay_in_order():
    known = history(*((float(second), second * 10) for second in range(10 * SAMPLES)))
    assert len(known.times) <= SAMPLES
    assert known.times == sorted(known.times)
    assert known.passed(10 * (10 * SAMPLES - 5)) == pytest.approx(10 * SAMPLES - 5)


def test_members_are_counted_by_assigned_topic():
    assert members_by_topic([["a", "a", "b"], ["a"], []]) == {"a": 2, "b": 1}
