import pytest
from kafka_metal_bench.report.phrases import milliseconds, percent, ranged, times
from kafka_metal_bench.stats import spread


@pytest.mark.parametrize(
    ("value", "text"),
    [(2, "2 ms"), (2.1034, "2.1 ms"), (39.3616, "39.4 ms"), (1741.2, "1,741 ms")],
)
def test_milliseconds_have_three_digits(value, text):
    assert milliseconds(value) == text


def test_ranged_marks_a_single_round():
    assert ranged(spread([1234567])) == "1,234,567 (1 round)"
    assert ranged(spread([1000, 3000, 2000])) == "2,000 (1,000 to 3,000)"
    assert ranged(None) == times(None) == percent(None) == "-"
