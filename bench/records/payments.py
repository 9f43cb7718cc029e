"""Send reproducible payments of about 200 bytes: payments.py BOOTSTRAP TOPIC COUNT."""

import json
import random
import sys
import time

from confluent_kafka import Producer

COUNTRIES = ("DE", "FR", "US", "GB", "NL", "PL", "ES", "IT")
# Shares of fraudulent payments and of invalid records.
FRAUD, INVALID = 0.2, 0.01
START_S = 1_767_225_600
# Range of event times in seconds: 35 minutes, so that windows close while records are read.
SPAN_S = 2_100
TIMEOUT_S = 60


def payment(number: int, total: int, chance: random.Random) -> bytes:
    """Return the value of a record."""
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
    """Send the payments and print their mean size in bytes."""
    bootstrap, topic, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    chance, size = random.Random(1), 0
    producer = Producer(
        {"bootstrap.servers": bootstrap, "linger.ms": 50, "compression.type": "lz4",
         "queue.buffering.max.messages": 1_000_000}
    )  # fmt: skip
    # Wait until a newly started broker responds.
    producer.list_topics(timeout=TIMEOUT_S)
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
