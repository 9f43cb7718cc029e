"""Payments of some 200 bytes, the same in every run: payments.py BOOTSTRAP TOPIC COUNT."""

import json
import random
import sys
import time

from confluent_kafka import Producer

COUNTRIES = ("DE", "FR", "US", "GB", "NL", "PL", "ES", "IT")
# One in five is a fraud, one in a hundred no payment at all.
FRAUD, INVALID = 0.2, 0.01
START_S = 1_767_225_600
# Of 35 minutes: windows close while records are read.
SPAN_S = 2_100
PATIENCE_S = 60


def payment(number: int, total: int, chance: random.Random) -> bytes:
    """The value of a record."""
    if chance.random() < INVALID:
        return b'{"paymentId": "broken'
    fraud = chance.random() < FRAUD
    when = time.gmtime(START_S + SPAN_S * number // total)
    return json.dumps(
        {
            "paymentId": f"p-{number:09d}",
            "accountId": f"a-{chance.randrange(100_000):06d}",
            "merchant": f"merchant-{chance.randrange(1_000):04d}",
            "country": chance.choice(COUNTRIES),
            "amount": round(chance.uniform(1, 1000), 2),
            "currency": "EUR",
            "eventTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", when),
            "fraudProbability": round(
                chance.uniform(0.81, 1) if fraud else chance.uniform(0, 0.8), 4
            ),
        }
    ).encode()


def main() -> None:
    """Send them."""
    bootstrap, topic, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    chance, size = random.Random(1), 0
    producer = Producer(
        {"bootstrap.servers": bootstrap, "linger.ms": 50, "compression.type": "lz4",
         "queue.buffering.max.messages": 1_000_000}
    )  # fmt: skip
    # Waits for a broker that has just been started.
    producer.list_topics(timeout=PATIENCE_S)
    for number in range(count):
        value = payment(number, count, chance)
        size += len(value)
        while True:
            try:
                producer.produce(topic, value, key=str(number))
                break
            except BufferError:
                producer.poll(0.1)
        producer.poll(0)
    producer.flush()
    print(json.dumps({"bytes": size / count}))


if __name__ == "__main__":
    main()
