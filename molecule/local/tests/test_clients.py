"""Common clients work with the printed bootstrap address."""

import subprocess
import uuid

from testing import access
from testing.cluster import Cluster
from testing.streams import TOPIC


def test_kcat_lists_the_topics(cluster: Cluster):
    listed = subprocess.run(
        ["kcat", *access.client_conf(), "-b", cluster.topology.bootstrap, "-L"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip

    assert "3 brokers" in listed.stdout
    assert f'topic "{TOPIC}" with 6 partitions' in listed.stdout


def test_a_record_of_kafka_python_is_read_by_confluent_kafka(cluster: Cluster):
    from confluent_kafka import Consumer, TopicPartition
    from kafka import KafkaProducer

    word = uuid.uuid4().hex.encode()
    producer = KafkaProducer(
        bootstrap_servers=cluster.topology.bootstrap.split(","), acks="all", **access.kafka_python()
    )
    written = producer.send(TOPIC, key=b"client-test", value=word).get(timeout=60)
    producer.close()
    consumer = Consumer(
        {
            "bootstrap.servers": cluster.topology.bootstrap,
            "group.id": "client-test",
            **access.librdkafka(),
        }
    )
    consumer.assign([TopicPartition(TOPIC, written.partition, written.offset)])
    record = consumer.poll(60)
    consumer.close()

    assert record is not None
    assert record.value() == word


def test_the_console_tools_of_kafka_write_and_read(cluster: Cluster):
    machine = cluster.machine(cluster.topology.brokers[1])
    broker = cluster.broker(1).name
    word = uuid.uuid4().hex
    address, config = cluster.operator_access(1)
    machine.check_output(
        f"echo {word} | docker exec -i {broker} kafka-console-producer "
        f"--bootstrap-server {address} --topic {TOPIC} --producer.config {config}"
    )
    found = machine.check_output(
        f"docker exec {broker} kafka-console-consumer --bootstrap-server {address} --topic {TOPIC} "
        f"--consumer.config {config} --from-beginning --timeout-ms 15000 2>/dev/null "
        f"| grep --text -c {word}"
    )

    assert int(found) == 1
