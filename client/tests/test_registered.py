import io
import json
from types import SimpleNamespace

import pytest
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.schema_registry.json_schema import JSONDeserializer
from confluent_kafka.serialization import MessageField, SerializationContext
from kafka_fakes import Error, Message, Producer
from kafka_metal_client import cli, registered
from kafka_metal_client.delivery import Delivery
from kafka_metal_client.errors import ClientError
from kafka_metal_client.pacing import Pacer
from kafka_metal_client.produce import Options, keep_rest, open_reader, send, validate
from kafka_metal_client.progress import Progress
from kafka_metal_client.registered import Encoded, connect, read_encoding
from kafka_metal_client.replay import copy_arguments
from kafka_metal_client.sizes import Limit

CONTEXT = SerializationContext("payments", MessageField.VALUE)
AVRO = json.dumps(
    {
        "type": "record",
        "name": "payment",
        "fields": [
            {"name": "id", "type": "string"},
            {"name": "amount", "type": ["null", "double"]},
            {"name": "note", "type": "string", "default": "none"},
        ],
    }
)
JSON = json.dumps(
    {
        "title": "payment",
        "type": "object",
        "properties": {"id": {"type": "string"}, "amount": {"type": ["number", "null"]}},
        "required": ["id"],
        "additionalProperties": False,
    }
)


@pytest.fixture
def client():
    """Confluent's own simulation of a registry."""
    found = SchemaRegistryClient.new_client({"url": "mock://"})
    found.register_schema("other", Schema('"string"', "AVRO"))
    found.register_schema("payments-value", Schema(AVRO, "AVRO"))
    found.register_schema("payments-json", Schema(JSON, "JSON"))
    return found


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "payments.jsonl"
    lines = [{"id": str(n), "amount": None if n % 5 == 0 else n / 4} for n in range(20)]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def sent_by(producer, path, encoding):
    reader = Encoded(open_reader(path, Options(key="id")), encoding)
    check = validate(path, reader)
    delivery = Delivery(lambda: producer, "payments", Limit())
    progress = Progress(io.StringIO())
    return check, send(delivery, reader, Pacer(0, 0), check.records, progress, lambda: False)


@pytest.mark.parametrize("subject", ["payments-value", "payments-json"])
def test_records_are_read_by_the_deserializers_of_the_registry(client, rows, subject):
    producer = Producer()
    encoding = read_encoding([client], subject, "payments")
    check, result = sent_by(producer, rows, encoding)

    assert (check.records, result.acknowledged) == (20, 20)
    read = AvroDeserializer(client) if subject == "payments-value" else JSONDeserializer(JSON)
    found = [read(record.value(), CONTEXT) for record in producer.log]
    assert [(each["id"], each["amount"]) for each in found] == [
        (str(n), None if n % 5 == 0 else n / 4) for n in range(20)
    ]
    assert {record.value()[:5] for record in producer.log} == {
        b"\0" + encoding.id.to_bytes(4, "big")
    }
    assert [record.key() for record in producer.log] == [str(n).encode() for n in range(20)]


@pytest.mark.parametrize(
    ("subject", "row", "message"),
    [
        ("payments-value", {"id": 1, "amount": 2}, "line 2, column 1: found"),
        ("payments-value", {"id": "a"}, "allowed is a record of version 1 of payments-value"),
        ("payments-value", {"id": "a", "amount": None, "more": 1}, "more"),
        ("payments-json", {"id": "a", "more": 1}, "more"),
        ("payments-json", {"amount": 1}, "id"),
    ],
)
def test_nothing_is_sent_if_a_record_does_not_fit_the_schema(client, rows, subject, row, message):
    first = rows.read_text().splitlines()[0]
    rows.write_text(f"{first}\n{json.dumps(row)}\n")
    producer = Producer()
    with pytest.raises(ClientError) as error:
        sent_by(producer, rows, read_encoding([client], subject, "payments"))
    assert message in str(error.value)
    assert "nothing was sent" in str(error.value)
    assert producer.log == []


class Answers:
    """A client of a registry that has one version of each subject."""

    def __init__(self, schema, version=1):
        found = {"version": version, "schema_id": 1, "schema": schema}
        self.latest = SimpleNamespace(**found)

    def get_latest_version(self, _subject):
        return self.latest


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        *(("AVRO", each) for each in ("", "{", "5", '{"type": "record"}', "[" * 100_000, None)),
        *(("JSON", each) for each in ("", "{", "[" * 100_000, None)),
    ],
)
def test_a_schema_that_is_not_valid_is_an_error(kind, text):
    with pytest.raises(ClientError, match="found a schema that is not valid: ") as error:
        read_encoding([Answers(Schema(text, kind))], "s", "t")
    assert len(str(error.value)) < 600


@pytest.mark.parametrize("version", [None, "x"])
def test_a_version_that_is_no_number_is_an_error(version):
    with pytest.raises(ClientError, match="schema registry: subject s: "):
        read_encoding([Answers(Schema(AVRO, "AVRO"), version)], "s", "t")


def test_the_largest_record_is_the_encoded_one(client, rows):
    check, _ = sent_by(Producer(), rows, read_encoding([client], "payments-value", "payments"))
    plain = validate(rows, open_reader(rows, Options(key="id")))
    assert 0 < check.largest[0] < plain.largest[0]


def test_unacknowledged_records_are_kept_as_json(client, rows):
    producer = Producer()
    producer.fate = lambda number, message: Error("too late") if number == 3 else None
    _, result = sent_by(producer, rows, read_encoding([client], "payments-value", "payments"))
    plain = open_reader(rows, Options(key="id"))
    assert json.loads(keep_rest(rows, plain, result).read_text()) == {
        "id": "3",
        "amount": 0.75,
    }


def test_only_schemas_of_the_registry_are_used(client, monkeypatch):
    with pytest.raises(ClientError, match=r"subject never-value: .*404.*; nothing was sent"):
        read_encoding([client], "never-value", "never")
    client.register_schema("proto", Schema('syntax = "proto3"; message M {}', "PROTOBUF"))
    with pytest.raises(ClientError, match="found a schema of type PROTOBUF; allowed: AVRO, JSON"):
        read_encoding([client], "proto", "payments")
    assert sorted(client.get_subjects()) == ["other", "payments-json", "payments-value", "proto"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "No such file or directory"),
        ("{", "Expecting"),
        ("[]", "no object"),
        ("{}", "url"),
        ('{"url": "http://h", "pasword": "x"}', "Unrecognized properties: pasword"),
        ('{"url": "https://h", "ssl.ca.location": "/none/ca.pem"}', "No such file"),
    ],
)
def test_an_unusable_file_of_the_registry_is_named(tmp_path, text, message):
    file = tmp_path / "schema-registry.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(ClientError) as error:
        connect(file)
    assert message in str(error.value)
    assert "make access" in str(error.value)


def test_a_registry_that_does_not_respond_sends_nothing(tmp_path):
    file = tmp_path / "schema-registry.json"
    file.write_text(json.dumps({"url": "http://127.0.0.1:1,http://127.0.0.1:2", "max.retries": 0}))
    with pytest.raises(ClientError, match=r"subject a: .*refused.*; nothing was sent"):
        read_encoding(connect(file), "a", "a")


class Starting:
    """An instance that has read the first ``versions`` of each subject."""

    def __init__(self, client, versions):
        self._client, self._versions = client, versions

    def get_latest_version(self, subject):
        if self._versions:
            return self._client.get_version(subject, self._versions)
        raise ValueError("Subject not found. (HTTP status code 404)")


@pytest.mark.parametrize("read", [0, 1])
def test_an_instance_that_still_reads_its_schemas_is_not_the_last_one_asked(client, rows, read):
    wider = json.loads(AVRO)
    wider["fields"].append({"name": "more", "type": "string", "default": ""})
    client.register_schema("payments-value", Schema(json.dumps(wider), "AVRO"))
    starting, producer = Starting(client, read), Producer()

    for clients in ([starting, client], [client, starting]):
        encoding = read_encoding(clients, "payments-value", "payments")
        assert encoding.version == 2
        assert sent_by(producer, rows, encoding)[1].acknowledged == 20


def test_the_cause_of_every_address_is_named(client):
    client.register_schema("one", Schema(AVRO, "AVRO"))
    with pytest.raises(ClientError) as error:
        read_encoding([Starting(client, 0), Starting(client, 9)], "one", "one")
    assert "Subject not found. (HTTP status code 404); " in str(error.value)
    assert str(error.value).endswith("; nothing was sent")


def test_a_file_with_several_addresses_has_a_client_of_each(tmp_path):
    file = tmp_path / "schema-registry.json"
    file.write_text(json.dumps({"url": "http://a/v7,http://b/v7", "basic.auth.user.info": "u:p"}))
    assert len(connect(file)) == 2


def test_a_record_that_no_longer_fits_while_it_is_sent_is_named(client, rows):
    reader = Encoded(open_reader(rows, Options()), read_encoding([client], "payments-value", "p"))
    check = validate(rows, reader)
    first, _, *others = rows.read_text().splitlines(keepends=True)
    rows.write_text("".join([first, '{"id": 1}\n', *others]))
    producer = Producer()
    delivery = Delivery(lambda: producer, "payments", Limit())
    progress = Progress(io.StringIO())

    result = send(delivery, reader, Pacer(0, 0), check.records, progress, lambda: False)

    assert (result.sent, result.acknowledged) == (1, 1)
    assert "line 2, column 1: found" in result.unread


def test_the_command_names_version_and_format(client, rows, monkeypatch, capsys):
    monkeypatch.setattr(registered, "connect", lambda _file: [client])
    command = ["produce", "--bootstrap=h:1", "--topic=payments", "--dry-run", "--registry=x.json"]
    assert cli.main([*command, str(rows)]) == 0
    printed = capsys.readouterr().out
    assert "format: version 1 of payments-value, id 2: a pipeline reads it" in printed
    assert "source.format avro" in printed
    assert cli.main([*command, "--subject=payments-json", str(rows)]) == 0
    assert "source.format json_schema" in capsys.readouterr().out


def test_a_replay_keeps_the_bytes_of_a_value(client, rows):
    producer = Producer()
    sent_by(producer, rows, read_encoding([client], "payments-value", "payments"))
    for record in producer.log:
        copy = copy_arguments(Message(value_=record.value()))
        assert copy["value"] == record.value()
