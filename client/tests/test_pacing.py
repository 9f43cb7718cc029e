import pytest
from kafka_metal_client.pacing import Pacer


def sent_by(pacer, times):
    return sum(pacer.delay(now) == 0 for now in times)


def test_rate_is_kept_over_time():
    pacer = Pacer(rate=100, now=0)
    assert sent_by(pacer, [step / 1000 for step in range(10_000)]) == pytest.approx(1000, abs=12)


def test_delay_is_the_time_until_the_next_record():
    pacer = Pacer(rate=2, now=10)
    assert pacer.delay(10) == 0
    assert pacer.delay(10.1) == pytest.approx(0.4)


def test_no_burst_after_a_stall():
    pacer = Pacer(rate=100, now=0)
    assert sent_by(pacer, [60.0] * 1000) <= 11


def test_rate_zero_has_no_delay():
    assert sent_by(Pacer(rate=0, now=0), [0.0] * 1000) == 1000
