from collections import Counter

from kafka_metal_bench.schedule import interleaved, rotated


def test_rounds_rotate_the_first_item():
    assert [rotated("ABC", n) for n in (1, 2, 3, 4)] == [
        ["A", "B", "C"],
        ["B", "C", "A"],
        ["C", "A", "B"],
        ["A", "B", "C"],
    ]
    assert rotated([], 1) == []


def test_every_round_has_every_item_once():
    order = list(interleaved("AB", 3))
    assert order == [(1, "A"), (1, "B"), (2, "B"), (2, "A"), (3, "A"), (3, "B")]
    assert set(Counter(order).values()) == {1}
