from ansible_collections.metal.kafka.plugins.module_utils._kafka.log_recovery import (
    count_recovered_logs,
)


def test_recovery_sums_the_last_counters_of_all_log_dirs():
    lines = [
        "loaded a with 1 segments in 5ms (1/3 completed in /data/1)",
        "loaded b with 1 segments in 5ms (1/4 completed in /data/2)",
        "loaded c with 1 segments in 5ms (2/3 completed in /data/1)",
    ]
    assert count_recovered_logs(lines) == (3, 7)
    assert count_recovered_logs(["started"]) is None
