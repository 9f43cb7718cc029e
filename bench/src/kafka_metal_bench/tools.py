"""Parse the output of the measuring tools. Pure functions; names contain the units."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, List, Tuple

Numbers = Dict[str, float]

NUMBER = r"([0-9]+(?:[.,][0-9]+)?)"
PRODUCED = re.compile(
    rf"^(\d+) records sent, {NUMBER} records/sec \({NUMBER} MB/sec\), "
    rf"{NUMBER} ms avg latency, {NUMBER} ms max latency"
)
PERCENTILES = re.compile(r"(\d+) ms 50th, (\d+) ms 95th, (\d+) ms 99th, (\d+) ms 99\.9th")
END_TO_END = re.compile(rf"Percentiles: 50th = {NUMBER}, 99th = {NUMBER}, 99\.9th = {NUMBER}")
FETCHED = "fetch.nMsg.sec"
MEBIBYTE = 2**20


class OutputError(ValueError):
    """The output of a tool has no results; the message has the log tail."""


def log_tail(output: str, lines: int = 6) -> str:
    """Return the last lines of an output for a message."""
    return " | ".join(line.strip() for line in output.strip().splitlines()[-lines:]) or "nothing"


def number(text: str) -> float:
    """Return a number printed by Java in any locale."""
    return float(text.replace(",", "."))


def producer_results(output: str) -> Numbers:
    """Return the results of ``kafka-producer-perf-test``: the last line with percentiles."""
    for line in reversed(output.splitlines()):
        found, tail = PRODUCED.search(line), PERCENTILES.search(line)
        if found and tail:
            return {
                "records": number(found[1]),
                "records_s": number(found[2]),
                "latency_avg_ms": number(found[4]),
                "latency_max_ms": number(found[5]),
                "latency_p50_ms": number(tail[1]),
                "latency_p99_ms": number(tail[3]),
                "latency_p999_ms": number(tail[4]),
            }
    raise OutputError(f"kafka-producer-perf-test printed no results: {log_tail(output)}")


def windows(output: str) -> List[Tuple[int, float]]:
    """Return total records and records/s of each 5 s window of a long producer run.

    The first window is omitted, because it includes the start of the JVM and of the connections.
    """
    sent, series = 0, []
    for line in output.splitlines():
        found = PRODUCED.search(line)
        if found and not PERCENTILES.search(line):
            sent += int(found[1])
            series.append((sent, number(found[2])))
    return series[1:]


def consumer_results(output: str) -> Numbers:
    """Return the results of ``kafka-consumer-perf-test``, without the time of the rebalance."""
    header: List[str] = []
    for line in output.splitlines():
        cells = [cell.strip() for cell in line.split(", ")]
        if FETCHED in cells:
            header = cells
        elif header and len(cells) == len(header):
            found = dict(zip(header, cells))
            return {
                "records": number(found["data.consumed.in.nMsg"]),
                "records_s": number(found[FETCHED]),
            }
    raise OutputError(f"kafka-consumer-perf-test printed no results: {log_tail(output)}")


def end_to_end(output: str) -> Numbers:
    """Return the results of ``kafka-e2e-latency``, which has a resolution of 1 ms."""
    found = END_TO_END.search(output)
    if not found:
        raise OutputError(f"kafka-e2e-latency printed no results: {log_tail(output)}")
    average = re.search(rf"Avg latency: {NUMBER} ms", output)
    return {
        "p50_ms": number(found[1]),
        "p99_ms": number(found[2]),
        "p999_ms": number(found[3]),
        "avg_ms": number(average[1]) if average else number(found[1]),
    }


def combine_results(parts: List[Numbers]) -> Numbers:
    """Combine the results of concurrent clients: sums of records, maximums of latencies."""
    return {
        key: sum(part[key] for part in parts)
        if key.startswith("records")
        else max(part[key] for part in parts)
        for key in parts[0]
    }


def fio_bytes_s(output: str, direction: str) -> float:
    """Return bytes per second of a fio job in JSON; ``direction``: read or write."""
    try:
        job: Dict[str, Any] = json.loads(output[output.index("{") :])["jobs"][0]
        if job["error"]:
            raise OutputError(f"fio failed with error {job['error']}")
        return float(job[direction]["bw_bytes"])
    except (ValueError, LookupError) as error:
        raise OutputError(f"fio printed no results: {log_tail(output)}") from error
