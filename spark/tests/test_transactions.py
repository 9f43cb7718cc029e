"""Exactly-once delivery to a topic: the transactions of a batch, with a fake broker."""

from pathlib import Path
from typing import Any

import pytest
from kafka_metal_pipeline.librdkafka import OptionError, translate_options
from kafka_metal_pipeline.marks import Mark
from kafka_metal_pipeline.transactions import TransactionalTopic, producer_options

HEADERS = [{"key": "source.offset", "value": bytearray(b"5")}, {"key": "none", "value": None}]


class Row(dict[str, Any]):
    def asDict(self) -> dict[str, Any]:
        return dict(self)


class Rows:
    """A fake DataFrame."""

    def __init__(self, *values: str) -> None:
        self.values = values

    def toLocalIterator(self, prefetchPartitions: bool) -> Any:
        return iter(
            [Row(key=bytearray(b"k"), value=value, headers=HEADERS) for value in self.values]
        )


class Fault(Exception):
    """A fake librdkafka error."""

    def __init__(self, **is_: bool) -> None:
        super().__init__(self)
        self.is_ = is_

    def fatal(self) -> bool:
        return self.is_.get("fatal", False)

    def retriable(self) -> bool:
        return self.is_.get("retriable", False)


class Broker:
    """Topics, and one open transaction per id; a new producer fences off the previous one."""

    def __init__(self) -> None:
        self.topics: dict[str, list[tuple[Any, ...]]] = {"out": [], "marks": []}
        self.epochs: dict[str, int] = {}
        self.faults: list[Exception] = []

    def read_marks(self) -> list[tuple[str, str]]:
        return [(key.decode(), value.decode()) for value, key, _ in self.topics["marks"]]

    def values(self) -> list[str]:
        return [value.decode() for value, _, _ in self.topics["out"]]


class Producer:
    def __init__(self, broker: Broker, name: str) -> None:
        self.broker, self.name = broker, name
        self.open: list[tuple[Any, ...]] | None = None
        self.room = 2

    def init_transactions(self, timeout: float) -> None:
        self.epoch = self.broker.epochs[self.name] = self.broker.epochs.get(self.name, 0) + 1

    def begin_transaction(self) -> None:
        assert self.open is None
        self.open = []

    def produce(
        self, topic: str, value: Any = None, key: Any = None, *, headers: Any = None
    ) -> None:
        if not self.room:
            raise BufferError
        self.room -= 1
        assert self.open is not None
        self.open.append((topic, value, key, headers))

    def poll(self, timeout: float) -> int:
        if timeout:
            self.room = 2
        return 0

    def commit_transaction(self, timeout: float) -> None:
        if self.epoch != self.broker.epochs[self.name]:
            raise Fault(fatal=True)
        if self.broker.faults:
            raise self.broker.faults.pop(0)
        assert self.open is not None
        for topic, *record in self.open:
            self.broker.topics[topic].append(tuple(record))
        self.open = None

    def abort_transaction(self, timeout: float) -> None:
        self.open = None


@pytest.fixture
def broker() -> Broker:
    return Broker()


def topic(broker: Broker, owner: str = "p/o") -> TransactionalTopic:
    return TransactionalTopic(
        "out", "marks", owner, lambda name: Producer(broker, name), broker.read_marks
    )


def test_rows_and_mark_are_committed_together(broker: Broker) -> None:
    target = topic(broker)
    assert target.mark() is None
    target.write(Rows("a", "b", "c", "d"), Mark("one", 0, "offsets"))
    assert broker.values() == ["a", "b", "c", "d"]
    assert broker.topics["out"][0][1:] == (b"k", [("source.offset", b"5"), ("none", None)])
    assert broker.topics["marks"][0][1] == b"p/o/one"
    assert topic(broker).mark() == Mark("one", 0, "offsets")


def test_failed_batch_leaves_nothing_and_is_repeatable(broker: Broker) -> None:
    target = topic(broker)
    target.mark()
    broker.faults = [Fault()]
    with pytest.raises(Fault):
        target.write(Rows("a"), Mark("one", 0, ""))
    assert (broker.values(), broker.read_marks()) == ([], [])
    target.write(Rows("a"), Mark("one", 0, ""))
    assert broker.values() == ["a"]


def test_commit_is_retried_while_retriable(broker: Broker) -> None:
    target = topic(broker)
    target.mark()
    broker.faults = [Fault(retriable=True)] * 3
    target.write(Rows("a"), Mark("one", 0, ""))
    assert broker.values() == ["a"]


def test_fenced_driver_writes_no_more(broker: Broker) -> None:
    old, new = topic(broker), topic(broker)
    old.mark()
    new.mark()
    new.write(Rows("a"), Mark("one", 0, ""))
    with pytest.raises(Fault):
        old.write(Rows("a"), Mark("one", 0, ""))
    assert broker.values() == ["a"]


def test_each_output_has_its_own_marks(broker: Broker) -> None:
    for owner, checkpoint, batch in (("p/o", "one", 4), ("p/o", "two", 0), ("p/oo", "x", 9)):
        target = topic(broker, owner)
        target.mark()
        target.write(Rows("a"), Mark(checkpoint, batch, ""))
    assert topic(broker).mark() == Mark("two", 0, "")


JAAS = (
    "org.apache.kafka.common.security.scram.ScramLoginModule required "
    'username="pipe\\"line" password="a=b;c";'
)


def test_java_options_are_translated_to_librdkafka() -> None:
    java = {
        "kafka.security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "kafka.sasl.jaas.config": JAAS,
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": "/ca.pem",
        "fetch.max.bytes": "1",
    }
    assert translate_options(java) == {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": 'pipe"line',
        "sasl.password": "a=b;c",
        "ssl.ca.location": "/ca.pem",
    }


def test_password_reference_is_read_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "pipeline.properties"
    file.write_text('other=1\npassword=a"b\\c\n')
    java = {
        "sasl.jaas.config": (
            "org.apache.kafka.common.security.scram.ScramLoginModule required "
            f'username="p" password="${{file:{file}:password}}";'
        ),
        "config.providers": "file",
        "config.providers.file.class": "FileConfigProvider",
    }
    assert translate_options(java) == {"sasl.username": "p", "sasl.password": 'a"b\\c'}


def test_pem_store_is_certificate_and_key() -> None:
    assert translate_options({"ssl.keystore.type": "PEM", "ssl.keystore.location": "/p.pem"}) == {
        "ssl.certificate.location": "/p.pem",
        "ssl.key.location": "/p.pem",
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ssl.truststore.type": "JKS"}, "found JKS; allowed: PEM"),
        ({"ssl.truststore.password": "x"}, "ssl.truststore.password"),
        ({"sasl.jaas.config": "Krb5LoginModule required;"}, "no user name and password"),
    ],
)
def test_unsupported_option_is_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        translate_options(options)


def test_names_of_options_are_compared_in_lower_case() -> None:
    options = {"Kafka.Ssl.Truststore.Location": "/ca.pem", "SSL.Truststore.Type": "PEM"}
    assert translate_options(options) == {"ssl.ca.location": "/ca.pem"}
    assert translate_options({"Ssl.Key.Password": "s3cret"}) == {"ssl.key.password": "s3cret"}
    with pytest.raises(OptionError, match="found a hidden value") as error:
        translate_options({"Ssl.Truststore.Password": "s3cret"})
    assert "s3cret" not in str(error.value)


def test_site_cannot_override_transactional_options() -> None:
    options = producer_options({"acks": "1", "linger.ms": "5"}, "id")
    assert (options["acks"], options["linger.ms"], options["transactional.id"]) == (
        "all",
        "5",
        "id",
    )
    confluent_kafka = pytest.importorskip("confluent_kafka")
    # librdkafka accepts every option and its value.
    confluent_kafka.Producer(options | {"bootstrap.servers": "127.0.0.1:1"})
