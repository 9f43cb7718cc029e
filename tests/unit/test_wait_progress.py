import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.remaining_work import (
    RemainingWork,
    duration,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.wait_progress import (
    Progress,
    Sight,
    line,
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
def test_the_rest_takes_as_long_as_its_present_rate_says(history, left):
    work = RemainingWork()
    for moment, amount in history:
        work.note(moment, amount)
    assert work.seconds() == left


@pytest.mark.parametrize(
    ("now", "left", "text"),
    [
        (
            Sight(2, 3, 120, 500, name="kafka2"),
            40,
            "kafka2: log recovery 120 of 500, about 40 s left",
        ),
        (Sight(2, 3, name="kafka2"), None, "kafka2: 2 of 3 brokers are registered"),
        (
            Sight(**WHOLE, under_replicated=3, lag=12 << 20),
            5,
            "3 partitions under-replicated, 12 MiB behind, about 5 s left",
        ),
        (Sight(**WHOLE, under_replicated=1), None, "1 partition under-replicated"),
        (Sight(**WHOLE, problem="no controller"), None, "no controller"),
        (
            Sight(2, 3, running=False, restarts=2, name="kafka2"),
            None,
            "kafka2: its container does not run, restarted 2 times by the engine",
        ),
    ],
)
def test_a_line_says_what_is_waited_for(now, left, text):
    assert line(now, left) == text


def test_a_line_is_printed_for_news_and_not_for_each_figure():
    follow = Progress(stall_timeout=10, begun=0)
    assert follow.see(0, Sight(2, 3, 1, 9)) == "log recovery 1 of 9"
    assert follow.see(1, Sight(2, 3, 2, 9)) == ""
    assert follow.see(6, Sight(2, 3, 4, 9)) == "log recovery 4 of 9, about 10 s left"
    assert follow.see(7, Sight(**WHOLE, under_replicated=4)) == "4 partitions under-replicated"


def steps(follow, *sights):
    for moment, now in sights:
        follow.see(moment, now)
    return follow


@pytest.mark.parametrize(
    "later",
    [
        Sight(2, 3, 2, 9, under_replicated=5, lag=100, offline=1, moving=2),
        Sight(2, 3, 1, 9, under_replicated=4, lag=100, offline=1, moving=2),
        Sight(2, 3, 1, 9, under_replicated=5, lag=99, offline=1, moving=2),
        Sight(2, 3, 1, 9, under_replicated=5, lag=100, offline=0, moving=2),
        Sight(2, 3, 1, 9, under_replicated=5, lag=100, offline=1, moving=1),
        # A broker more may bring partitions that lack more.
        Sight(3, 3, under_replicated=9, lag=900),
    ],
)
def test_anything_that_moves_forward_is_progress(later):
    first = Sight(2, 3, 1, 9, under_replicated=5, lag=100, offline=1, moving=2)
    assert not steps(Progress(10, 0), (0, first), (9, later)).stalled(15)
    assert steps(Progress(10, 0), (0, first), (9, first)).stalled(15)


def test_a_broker_that_comes_and_goes_makes_no_progress():
    here, away = Sight(**WHOLE, under_replicated=5), Sight(2, 3, under_replicated=1)
    assert steps(Progress(10, 0), (0, here), (4, away), (8, here)).stalled(10)


def test_no_answer_is_no_progress():
    behind, silent = Sight(**WHOLE, under_replicated=5), Sight(0, 3)
    assert steps(Progress(10, 0), (0, behind), (5, silent)).stalled(10)


@pytest.mark.parametrize(
    ("moment", "restarts", "crashes"), [(41, 4, True), (39, 9, False), (41, 3, False)]
)
def test_a_container_has_an_excuse_to_end_until_its_old_registration_expires(
    moment, restarts, crashes
):
    assert Progress(300, 0).crashes(moment, Sight(restarts=restarts)) is crashes


def test_people_read_figures():
    assert [duration(s) for s in (0.2, 40, 600, 9000)] == ["1 s", "40 s", "10 min", "2.5 h"]
