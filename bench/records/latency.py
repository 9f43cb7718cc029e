"""Measure the latency of a pipeline: latency.py BOOTSTRAP SOURCE TARGET RATE SECONDS.

Producer and consumer are in one process with one clock. Records sent within WARM_S seconds after
the first received record are not measured.
"""

import json
import statistics
import sys
import threading
import time

from confluent_kafka import Consumer, Producer

WARM_S = 15.0
TIMEOUT_S = 120.0


def payment(now: int) -> bytes:
    """Return a fraudulent payment; its id is the time in nanoseconds."""
    return json.dumps(
        {
            "paymentId": str(now),
            "accountId": "a-000001",
            "merchant": "merchant-0001",
            "country": "DE",
            "amount": 10.0,
            "currency": "EUR",
            "eventTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "fraudProbability": 0.9,
        }
    ).encode()


def send(producer: Producer, topic: str, rate: int, stop: threading.Event) -> None:
    """Send ``rate`` records a second, in batches every 10 ms, until ``stop`` is set."""
    due = time.monotonic()
    while not stop.wait(max(0.0, due - time.monotonic())):
        for _ in range(max(1, rate // 100)):
            now = time.monotonic_ns()
            producer.produce(topic, payment(now), key=str(now))
        producer.poll(0)
        due += 0.01
    producer.flush()


def main() -> None:
    """Send and receive records; print the percentiles of the latency in ms."""
    bootstrap, source, target, rate, seconds = sys.argv[1:]
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": f"latency-{target}",
                         "auto.offset.reset": "earliest", "fetch.wait.max.ms": 5})  # fmt: skip
    consumer.subscribe([target])
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 0})
    stop, latencies = threading.Event(), []
    sender = threading.Thread(target=send, args=(producer, source, int(rate), stop))
    sender.start()
    begin, end = None, time.monotonic() + TIMEOUT_S
    while time.monotonic() < end:
        message = consumer.poll(0.5)
        if message is None or message.error():
            continue
        now, sent = time.monotonic_ns(), int(message.key())
        if begin is None:
            begin, end = now + int(WARM_S * 1e9), time.monotonic() + WARM_S + float(seconds)
        if sent >= begin:
            latencies.append((now - sent) / 1e6)
    stop.set()
    sender.join()
    consumer.close()
    if not latencies:
        raise SystemExit(f"no record in {target} within {TIMEOUT_S:g} s")
    parts = statistics.quantiles(latencies, n=100)
    print(
        json.dumps(
            {"records": len(latencies), "p50": parts[49], "p95": parts[94], "p99": parts[98]}
        )
    )


if __name__ == "__main__":
    main()
