"""The filter as a simple loop: loop.py BOOTSTRAP SOURCE TARGET json|orjson."""

import importlib
import json
import sys
import time
from collections.abc import Callable
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition
from cost import cpu_seconds

LIMIT = 0.8
BATCH = 10_000


def parser_of(
    name: str,
) -> tuple[Callable[[bytes], Any], Callable[[Any], bytes | str], type[Exception]]:
    """Return the functions to parse and to write, and the error of parsing."""
    module = importlib.import_module(name)
    return module.loads, module.dumps, module.JSONDecodeError


def main() -> None:
    """Filter all records to the end of every partition."""
    bootstrap, source, target, name = sys.argv[1:]
    loads, dumps, error = parser_of(name)
    began = time.monotonic()
    consumer = Consumer(
        {"bootstrap.servers": bootstrap, "group.id": "loop", "enable.auto.commit": False,
         # Default: a pause of one second whenever the queue is full.
         "fetch.queue.backoff.ms": 10}
    )  # fmt: skip
    producer = Producer(
        {"bootstrap.servers": bootstrap, "linger.ms": 50, "batch.size": 262_144,
         "compression.type": "lz4", "queue.buffering.max.messages": 1_000_000}
    )  # fmt: skip
    parts = [
        TopicPartition(source, number)
        for number in consumer.list_topics(source).topics[source].partitions
    ]
    left = {part.partition: consumer.get_watermark_offsets(part)[1] for part in parts}
    consumer.assign([TopicPartition(source, part.partition, OFFSET_BEGINNING) for part in parts])
    records = passed = invalid = 0
    while any(left.values()):
        for message in consumer.consume(BATCH, 1.0):
            records += 1
            if message.offset() + 1 >= left[message.partition()]:
                left[message.partition()] = 0
            try:
                event = loads(message.value())
            except error:
                invalid += 1
                continue
            if (
                event["amount"] > 0
                and 0 <= event["fraudProbability"] <= 1
                and event["fraudProbability"] > LIMIT
            ):
                passed += 1
                producer.produce(target, dumps(event), key=event["paymentId"])
        producer.poll(0)
    producer.flush()
    print(json.dumps({"round": 1, "records": records, "passed": passed, "invalid": invalid,
                      "seconds": time.monotonic() - began, "cpu": cpu_seconds()}))  # fmt: skip


if __name__ == "__main__":
    main()
