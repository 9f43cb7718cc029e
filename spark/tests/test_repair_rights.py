"""A repair without rights on its topics ends at once, and names topic and right."""

import logging
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from kafka_metal_declarations.declaration import parse
from kafka_metal_pipeline import batches, brokers, exit_codes, registry, session, streams

DENIED = "org.apache.kafka.common.errors.TopicAuthorizationException: Not authorized"
MISSING = "org.apache.kafka.common.errors.UnknownTopicOrPartitionException: no such topic"
DECLARED = parse(
    "flights",
    {
        "source": {"topic": "in", "schema": "id STRING"},
        "outputs": {"all": {"sql": "TABLE events", "topic": "out"}},
        "invalid": "bad",
        "bootstrap": ["broker:9092"],
    },
)
Rights = Mapping[str, Any]


class Future:
    """A fake of Kafka's future of a topic: its rights, None if unknown, or the error."""

    def __init__(self, rights: list[str] | str | None) -> None:
        self.rights = rights

    def get(self) -> Any:
        if isinstance(self.rights, str):
            raise RuntimeError(self.rights)
        return SimpleNamespace(authorizedOperations=lambda: self.rights)


class Admin:
    """A fake of Kafka's admin client, which describes topics with the client's rights."""

    def __init__(self, rights: Rights) -> None:
        self.rights = rights
        self.options: Any = None

    def describeTopics(self, wanted: list[str], options: Any) -> Any:
        self.options = options
        futures = {name: Future(self.rights[name]) for name in wanted}
        return SimpleNamespace(topicNameValues=lambda: futures)

    def close(self, _timeout: Any) -> None:
        pass


class Options:
    """A fake of DescribeTopicsOptions."""

    def __init__(self) -> None:
        self.with_rights = False

    def includeAuthorizedOperations(self, value: bool) -> None:
        self.with_rights = value


class Names(list[str]):
    """A fake of Java's list."""

    add = list.append


class Properties(dict[str, str]):
    """A fake of Java's properties."""

    setProperty = dict.__setitem__


def repaired(
    monkeypatch: pytest.MonkeyPatch, rights: Rights, dry_run: bool = False
) -> tuple[int, bool]:
    """Return the exit code of a repair, and whether it has read records."""
    admin = Admin(rights)
    clients = SimpleNamespace(
        AdminClient=SimpleNamespace(create=lambda _options: admin), DescribeTopicsOptions=Options
    )
    java = SimpleNamespace(
        util=SimpleNamespace(Properties=Properties, ArrayList=Names),
        time=SimpleNamespace(Duration=SimpleNamespace(ofSeconds=int)),
    )
    kafka = SimpleNamespace(clients=SimpleNamespace(admin=clients))
    jvm = SimpleNamespace(org=SimpleNamespace(apache=SimpleNamespace(kafka=kafka)), java=java)
    reads: list[Any] = []

    def read(*declared: Any) -> Any:
        reads.append(declared)
        raise RuntimeError("reading")

    fake: Any = SimpleNamespace(_jvm=jvm, stop=lambda: None)
    monkeypatch.setattr(session, "connect", lambda _: fake)
    monkeypatch.setattr(registry, "resolve_schemas", lambda declared: declared)
    monkeypatch.setattr(batches, "require_expressions", lambda *_: None)
    monkeypatch.setattr(streams, "stored_records", read)
    code = batches.repair(DECLARED, "raw", "true", dry_run)
    assert admin.options.with_rights
    return code, bool(reads)


ALL = ["READ", "WRITE", "DESCRIBE", "ALTER"]
REFUSED: dict[str, tuple[Rights, str]] = {
    "no right": (
        {"in": DENIED, "bad": DENIED},
        "the cluster does not allow it to read and describe topic bad; "
        "the cluster does not allow it to read, write and describe topic in",
    ),
    "no read": (
        {"in": ALL, "bad": ["DESCRIBE"]},
        "the cluster does not allow it to read topic bad",
    ),
    "no write": (
        {"in": ["READ", "DESCRIBE"], "bad": ALL},
        "the cluster does not allow it to write topic in",
    ),
}


@pytest.mark.parametrize(("rights", "words"), REFUSED.values(), ids=REFUSED)
def test_missing_rights_are_named_with_their_topics(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, rights: Rights, words: str
) -> None:
    with caplog.at_level(logging.ERROR):
        assert repaired(monkeypatch, rights) == (exit_codes.REFUSED, False)
    (message,) = caplog.messages
    assert message.startswith(f"pipeline flights: {words}. Nothing was sent. Declare these rights")
    assert "kafka_content_acls" in message


@pytest.mark.parametrize(
    "rights",
    [
        {"in": ALL, "bad": ["READ", "DESCRIBE"]},
        # Not returned by the broker; a missing topic is the reader's to report.
        {"in": None, "bad": MISSING},
    ],
)
def test_sufficient_or_unknown_rights_are_accepted(
    monkeypatch: pytest.MonkeyPatch, rights: Rights
) -> None:
    assert repaired(monkeypatch, rights) == (exit_codes.DIED, True)


def test_a_dry_run_needs_no_right_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    rights = {"in": ["READ", "DESCRIBE"], "bad": ["READ", "DESCRIBE"]}
    assert repaired(monkeypatch, rights, dry_run=True) == (exit_codes.DIED, True)


def test_the_error_of_an_admin_client_is_not_a_missing_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rights = {"in": "TimeoutException: no broker", "bad": ALL}
    assert repaired(monkeypatch, rights) == (exit_codes.DIED, False)
    assert issubclass(brokers.RightsError, ValueError)
