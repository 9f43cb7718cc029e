import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.remaining_work import (
    RemainingWork,
    format_duration,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.wait_progress import (
    Observation,
    Progress,
    progress_message,
)

WHOLE = {"registered": 3, "expected": 3}


@pytest.mark.parametrize(
    ("history", "left"),
    [
        ([], None),
        ([(0, 100)], None),
        ([(0, 100), (10, 100)], None),
        ([(0, 100), (10, 120)], None),
        ([(0, 100), (10, 80)], 40),
        # Only the last minute counts: the first one was slower.
        ([(0, 1000), (60, 900), (90, 300)], 15),
    ],
)
def test_remaining_time_follows_the_current_rate(history, left):
    work = RemainingWork()
    for moment, amount in history:
        work.note(moment, amount)
    assert work.seconds() == left


@pytest.mark.parametrize(
    ("now", "left", "text"),
    [
        (
            Observation(2, 3, 120, 500, name="kafka2"),
            40,
            "kafka2: log recovery 120 of 500, about 40 s left",
        ),
        (Observation(2, 3, name="kafka2"), None, "kafka2: 2 of 3 brokers are registered"),
        (
            Observation(**WHOLE, under_replicated=3, lag=12 << 20),
            5,
            "3 partitions under-replicated, 12 MiB behind, about 5 s left",
        ),
        (Observation(**WHOLE, under_replicated=1), None, "1 partition under-replicated"),
        (
            Observation(**WHOLE, under_replicated=20, partitions=200, lag=12 << 20),
            5,
            "180 of 200 partitions in sync, 12 MiB behind, about 5 s left",
        ),
        (Observation(**WHOLE, problem="no controller"), None, "no controller"),
        (
            Observation(2, 3, running=False, restarts=2, name="kafka2"),
            None,
            "kafka2: the container is not running, restarted 2 times by the engine",
        ),
    ],
)
def test_line_has_the_subject_of_the_wait(now, left, text):
    assert progress_message(now, left) == text


def test_line_is_not_printed_for_each_number():
    follow = Progress(stall_timeout=10, begun=0)
    assert follow.see(0, Observation(2, 3, 1, 9)) == "log recovery 1 of 9"
    assert follow.see(1, Observation(2, 3, 2, 9)) == ""
    assert follow.see(6, Observation(2, 3, 4, 9)) == "log recovery 4 of 9, about 10 s left"
    assert (
        follow.see(7, Observation(**WHOLE, under_replicated=4)) == "4 partitions under-replicated"
    )


def test_amounts_are_those_of_the_current_subject():
    follow = Progress(stall_timeout=10, begun=0)
    assert (follow.done, follow.total) == (0, 0)
    follow.see(0, Observation(2, 3, 100, 500))
    follow.see(1, Observation(2, 3, 300, 500))
    assert (follow.done, follow.total) == (200, 400)
    follow.see(2, Observation(**WHOLE, under_replicated=20, partitions=200))
    assert (follow.done, follow.total) == (180, 200)
    follow.see(3, Observation(**WHOLE, problem="no controller"))
    assert follow.total == 0


def steps(follow, *observations):
    for moment, now in observations:
        follow.see(moment, now)
    return follow


@pytest.mark.parametrize(
    "later",
    [
        Observation(2, 3, 2, 9, under_replicated=5, lag=100, offline=1, moving=2),
        Observation(2, 3, 1, 9, under_replicated=4, lag=100, offline=1, moving=2),
        Observation(2, 3, 1, 9, under_replicated=5, lag=99, offline=1, moving=2),
        Observation(2, 3, 1, 9, under_replicated=5, lag=100, offline=0, moving=2),
        Observation(2, 3, 1, 9, under_replicated=5, lag=100, offline=1, moving=1),
        # One more broker may add partitions with more lag.
        Observation(3, 3, under_replicated=9, lag=900),
    ],
)
def test_any_improvement_is_progress(later):
    first = Observation(2, 3, 1, 9, under_replicated=5, lag=100, offline=1, moving=2)
    assert not steps(Progress(10, 0), (0, first), (9, later)).stalled(15)
    assert steps(Progress(10, 0), (0, first), (9, first)).stalled(15)


def test_repeatedly_restarting_broker_is_no_progress():
    here, away = Observation(**WHOLE, under_replicated=5), Observation(2, 3, under_replicated=1)
    assert steps(Progress(10, 0), (0, here), (4, away), (8, here)).stalled(10)


def test_missing_response_is_no_progress():
    lagging, unreachable = Observation(**WHOLE, under_replicated=5), Observation(0, 3)
    assert steps(Progress(10, 0), (0, lagging), (5, unreachable)).stalled(10)


@pytest.mark.parametrize(
    ("moment", "restarts", "crashes"), [(41, 4, True), (39, 9, False), (41, 3, False)]
)
def test_container_may_exit_until_its_old_registration_expires(moment, restarts, crashes):
    assert Progress(300, 0).crashes(moment, Observation(restarts=restarts)) is crashes


def test_durations_are_readable():
    assert [format_duration(s) for s in (0.2, 40, 600, 9000)] == ["1 s", "40 s", "10 min", "2.5 h"]
