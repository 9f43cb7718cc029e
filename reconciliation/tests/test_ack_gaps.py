from kafka_metal_reconciliation.ack_gaps import AckGaps


def test_the_longest_gap_counts_only_while_an_answer_is_awaited():
    gaps = AckGaps()
    gaps.sent(0)
    gaps.answered(1)
    gaps.sent(100)
    gaps.sent(101)
    gaps.answered(103)
    assert gaps.longest == 3
    assert gaps.waiting(110) == 7
    gaps.answered(111)
    assert gaps.longest == 8
    assert gaps.waiting(500) == 0
