from kafka_metal_reconciliation.ack_gaps import AckGaps


def test_gap_counts_only_while_a_record_is_in_flight():
    gaps = AckGaps()
    gaps.sent(0)
    gaps.completed(1)
    gaps.sent(100)
    gaps.sent(101)
    gaps.completed(103)
    assert gaps.longest == 3
    assert gaps.waiting(110) == 7
    gaps.completed(111)
    assert gaps.longest == 8
    assert gaps.waiting(500) == 0
