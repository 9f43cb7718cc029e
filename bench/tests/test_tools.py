"""Outputs are from the tools of Kafka 3.9 and from fio 3.33."""

import json

import pytest
from kafka_metal_bench.tools import (
    OutputError,
    combine_results,
    consumer_results,
    end_to_end,
    fio_bytes_s,
    producer_results,
    windows,
)

PRODUCER = """\
1203456 records sent, 240691.2 records/sec (22.95 MB/sec), 21.3 ms avg latency, 44.0 ms max latency.
1500000 records sent, 300000.0 records/sec (28.61 MB/sec), 8.0 ms avg latency, 20.0 ms max latency.
1410000 records sent, 282000.0 records/sec (26.89 MB/sec), 9.0 ms avg latency, 30.0 ms max latency.
4500000 records sent, 281250.000000 records/sec (26.82 MB/sec), 995.37 ms avg latency, \
1744.00 ms max latency, 988 ms 50th, 1500 ms 95th, 1688 ms 99th, 1741 ms 99.9th.
"""
CONSUMER = """\
start.time, end.time, data.consumed.in.MB, MB.sec, data.consumed.in.nMsg, nMsg.sec, \
rebalance.time.ms, fetch.time.ms, fetch.MB.sec, fetch.nMsg.sec
2026-01-01 10:00:00:000, 2026-01-01 10:00:04:000, 95.3674, 23.8419, 1000000, 250000.0, \
3000, 1000, 95.3674, 1000000.0000
"""
LATENCY = """\
0\t25.123
Avg latency: 2.1034 ms

Percentiles: 50th = 2, 99th = 5, 99.9th = 14
"""


def test_producer_results_are_in_the_last_line():
    found = producer_results(PRODUCER)
    assert found["records"] == 4_500_000
    assert found["records_s"] == 281_250
    assert (found["latency_p50_ms"], found["latency_p99_ms"], found["latency_p999_ms"]) == (
        988,
        1688,
        1741,
    )


def test_windows_have_totals_and_omit_the_start():
    assert windows(PRODUCER) == [(2_703_456, 300_000), (4_113_456, 282_000)]


def test_the_consumer_rate_excludes_the_rebalance():
    assert consumer_results(CONSUMER) == {"records": 1_000_000, "records_s": 1_000_000}


def test_decimal_commas_are_parsed():
    assert end_to_end("Percentiles: 50th = 2,5, 99th = 5, 99.9th = 14")["p50_ms"] == 2.5


def test_latency_has_three_percentiles_and_a_mean():
    assert end_to_end(LATENCY) == {"p50_ms": 2, "p99_ms": 5, "p999_ms": 14, "avg_ms": 2.1034}


def test_combined_sums_rates_and_takes_the_maximum_latency():
    one = {"records": 10, "records_s": 5.0, "latency_p99_ms": 3.0}
    other = {"records": 20, "records_s": 7.0, "latency_p99_ms": 9.0}
    assert combine_results([one, other]) == {
        "records": 30,
        "records_s": 12.0,
        "latency_p99_ms": 9.0,
    }


@pytest.mark.parametrize("parse", [producer_results, consumer_results, end_to_end])
@pytest.mark.parametrize(
    "output", ["", "org.apache.kafka.common.errors.TimeoutException: not present"]
)
def test_an_output_without_results_is_an_error_with_the_log_tail(parse, output):
    with pytest.raises(OutputError) as error:
        parse(output)
    assert (output or "nothing") in str(error.value)


def test_an_incomplete_producer_output_is_an_error():
    with pytest.raises(OutputError):
        producer_results("\n".join(PRODUCER.splitlines()[:3]))


def test_warnings_of_fio_are_skipped():
    job = {"error": 0, "write": {"bw_bytes": 123_000_000}, "read": {"bw_bytes": 0}}
    output = "fio: a warning\n" + json.dumps({"jobs": [job]})
    assert fio_bytes_s(output, "write") == 123_000_000


@pytest.mark.parametrize("output", ["", "{}", '{"jobs": []}', '{"jobs": [{"error": 28}]}'])
def test_a_failed_fio_is_an_error(output):
    with pytest.raises(OutputError):
        fio_bytes_s(output, "write")
