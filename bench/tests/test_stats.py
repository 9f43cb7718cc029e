import pytest
from kafka_metal_bench.stats import Spread, effect, overlap, ratio, spread


def test_a_spread_has_smallest_middle_and_largest():
    assert spread([30, 10, 20]) == Spread(10, 20, 30, 3)
    assert spread([10, 20]) == Spread(10, 15, 20, 2)
    assert spread([]) is None


def test_the_width_is_a_share_of_the_middle():
    assert spread([90, 100, 120]).width == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        ([1, 2, 3], [3, 4, 5], True),
        ([1, 2, 3], [4, 5, 6], False),
        ([4, 5, 6], [1, 2, 3], False),
        ([1, 9], [4, 5], True),
    ],
)
def test_ranges_overlap_when_they_share_a_value(one, other, together):
    assert overlap(spread(one), spread(other)) is together


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ([100, 101, 102], [150, 151, 153], "+50 %"),
        ([100, 100, 100], [50, 49, 51], "-50 %"),
        ([100, 101, 160], [150, 151, 153], "no measurable effect here"),
        ([100, 100, 100], [100, 100, 100], "no measurable effect here"),
        ([100], [200], "too few rounds to tell (1)"),
        ([100, 100, 100], [], "not measured"),
    ],
)
def test_an_effect_is_claimed_only_when_all_rounds_lie_apart(before, after, words):
    assert effect(spread(before), spread(after)) == words


def test_a_ratio_compares_the_middles():
    assert ratio(spread([1, 2, 9]), spread([4])) == 0.5
    assert ratio(None, spread([4])) is None
    assert ratio(spread([4]), spread([0])) is None
