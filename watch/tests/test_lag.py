import pytest
from kafka_metal_watch.lag import NOTES, History, lags, members_by_topic


def history(*notes):
    result = History()
    for time, end in notes:
        result.note(time, end)
    return result


@pytest.mark.parametrize(
    ("offset", "passed"),
    [
        (100, 0.0),  # the very first note
        (150, 5.0),  # half way between two notes
        (200, 15.0),  # the last note that said 200
        (250, 21.25),  # a quarter of the way from 15 s to 40 s
        (50, 0.0),  # older than what is known: at least since then
    ],
)
def test_the_moment_at_which_the_end_passed_an_offset(offset, passed):
    assert history((0.0, 100), (10.0, 200), (15.0, 200), (40.0, 400)).passed(offset) == passed


def test_an_idle_topic_is_not_behind_however_long_it_is_idle():
    known = {("t", 0): history((0.0, 100), (10.0, 100), (1000.0, 100))}
    (lag,) = lags("g", {("t", 0): 100}, {("t", 0): 100}, known, now=5000.0)
    assert (lag.records, lag.seconds) == (0, 0.0)


def test_the_first_record_after_a_long_silence_has_waited_since_it_came():
    known = {("t", 0): history((0.0, 100), (500.0, 100), (1000.0, 100), (1015.0, 101))}
    (lag,) = lags("g", {("t", 0): 100}, {("t", 0): 101}, known, now=1020.0)
    assert (lag.records, lag.seconds) == (1, 20.0)


def test_a_group_behind_by_more_than_is_known_waits_at_least_as_long_as_we_look():
    known = {("t", 0): history((100.0, 5000), (200.0, 6000))}
    (lag,) = lags("g", {("t", 0): 10}, {("t", 0): 6000}, known, now=260.0)
    assert (lag.records, lag.seconds) == (5990, 160.0)


def test_a_group_that_committed_nothing_and_a_partition_without_a_leader_are_left_out():
    known = {("t", 0): history((0.0, 1))}
    committed = {("t", 0): -1001, ("t", 1): 5}
    assert lags("g", committed, {("t", 0): 1}, known, now=1.0) == []


def test_a_commit_ahead_of_the_end_we_saw_is_no_negative_lag():
    known = {("t", 0): history((0.0, 100))}
    (lag,) = lags("g", {("t", 0): 120}, {("t", 0): 100}, known, now=1.0)
    assert (lag.records, lag.seconds) == (0, 0.0)


def test_a_topic_that_was_made_anew_forgets_the_old_ends():
    known = history((0.0, 1000), (10.0, 5), (20.0, 15))
    assert known.passed(10) == 15.0


def test_notes_do_not_grow_without_an_end_and_stay_in_order():
    known = history(*((float(second), second * 10) for second in range(10 * NOTES)))
    assert len(known.times) <= NOTES
    assert known.times == sorted(known.times)
    assert known.passed(10 * (10 * NOTES - 5)) == pytest.approx(10 * NOTES - 5)


def test_members_are_counted_by_the_topics_they_were_given():
    assert members_by_topic([["a", "a", "b"], ["a"], []]) == {"a": 2, "b": 1}
