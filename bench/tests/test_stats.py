import pytest
from kafka_metal_bench.stats import Spread, effect, overlap, ratio, spread


def test_a_spread_has_minimum_median_and_maximum():
    assert spread([30, 10, 20]) == Spread(10, 20, 30, 3)
    assert spread([10, 20]) == Spread(10, 15, 20, 2)
    assert spread([]) is None


def test_the_width_is_a_share_of_the_median():
    assert spread([90, 100, 120]).width == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([1, 2, 3], [3, 4, 5], True),
        ([1, 2, 3], [4, 5, 6], False),
        ([4, 5, 6], [1, 2, 3], False),
        ([1, 9], [4, 5], True),
    ],
)
def test_ranges_overlap_when_they_share_a_value(one, other, expected):
    assert overlap(spread(one), spread(other)) is expected


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ([100, 101, 102], [150, 151, 153], "+50 %"),
        ([100, 100, 100], [50, 49, 51], "-50 %"),
        ([100, 101, 160], [150, 151, 153], "no measurable effect here"),
        ([100, 100, 100], [100, 100, 100], "no measurable effect here"),
        ([100], [200], "too few rounds (1)"),
        ([100, 100, 100], [], "not measured"),
    ],
)
def test_an_effect_is_reported_only_if_ranges_do_not_overlap(before, after, text):
    assert effect(spread(before), spread(after)) == text


def test_a_ratio_compares_medians():
    assert ratio(spread([1, 2, 9]), spread([4])) == 0.5
    assert ratio(None, spread([4])) is None
    assert ratio(spread([4]), spread([0])) is None
