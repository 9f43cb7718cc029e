"""Errors of a schema registry: whatever it responds, there is a cause and what helps."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from kafka_metal_declarations.declaration import parse
from kafka_metal_declarations.model import RegistrySite, Source
from kafka_metal_pipeline import registry_requests
from kafka_metal_pipeline.failures import explain
from kafka_metal_pipeline.registry import Reader, UnusableSchemaError
from kafka_metal_pipeline.registry_requests import RegistryError, fetch

RECORD = json.dumps({"type": "record", "name": "E", "fields": [{"name": "id", "type": "string"}]})
VERSIONS = "http://registry:8080/subjects/in-value/versions"


def source(url: str) -> Source:
    """A source with a registry at an address."""
    own = {"topic": "in", "format": "avro", "schema": "id STRING NOT NULL"}
    outputs = {"all": {"sql": "TABLE events", "topic": "out"}}
    declared = {"source": {**own, "registry": {"url": url}}, "outputs": outputs, "invalid": "bad"}
    return parse("p", declared).source


def test_a_password_of_an_invalid_url_is_hidden() -> None:
    # Python takes the password for a port, and has it in its error.
    with pytest.raises(RegistryError, match="<hidden>@localhost: the URL is invalid") as error:
        fetch("http://shop:AAAA@localhost", RegistrySite(()))
    assert "AAAA" not in str(error.value)


@contextmanager
def responding(response: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """An address that responds so to each request, and the requests."""
    received: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def respond() -> None:
            while True:
                connection, _ = server.accept()
                with connection:
                    received.append(connection.recv(10_000))
                    connection.sendall(response)

        threading.Thread(target=respond, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", received


@pytest.mark.parametrize(
    "response",
    [
        b"SSH-2.0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        b"HTTP/1.0 200 OK\r\nA: " + b"a" * 70_000 + b"\r\n\r\n[]",
        b"HTTP/1.0 200 OK\r\n\r\n" + b"[" * 100_000,
        b"HTTP/1.0 200 OK\r\n\r\n5",
        b"HTTP/1.0 200 OK\r\n\r\n<html>",
    ],
    ids=["no HTTP", "incomplete", "long header", "deep", "a number", "HTML"],
)
def test_a_response_that_is_not_of_a_registry_is_an_error(response: bytes) -> None:
    with (
        responding(response) as (url, _),
        pytest.raises(RegistryError, match="the schema registry gives no schema: "),
    ):
        Reader(source(url)).read()


@pytest.mark.parametrize(
    "schema",
    [
        *(None, [], {}, {"id": 1, "schema": "["}, {"id": 1, "schema": 5}),
        *({"id": each, "schema": RECORD} for each in ("x", None, -1, 2**32, float("inf"))),
    ],
)
def test_a_schema_of_a_wrong_shape_is_an_error(schema: Any) -> None:
    def respond(url: str, _: RegistrySite) -> Any:
        return [1] if url == VERSIONS else schema

    with pytest.raises(RegistryError, match="the schema registry gives no schema: "):
        Reader(source("http://registry:8080"), respond).read()


@pytest.mark.parametrize("versions", [[float("inf")], ["../x"], [None], {"a": 1}, "text"])
def test_versions_that_are_no_numbers_are_an_error(versions: Any) -> None:
    asked: list[str] = []

    def respond(url: str, _: RegistrySite) -> Any:
        asked.append(url)
        return versions

    with pytest.raises(RegistryError, match="not that of a registry"):
        Reader(source("http://registry:8080"), respond).read()
    assert asked == [VERSIONS]


@pytest.mark.parametrize("fields", [None, [], {}, "text", ["id"], [{"name": 5}], [{}]])
def test_a_record_without_fields_is_an_error(fields: Any) -> None:
    schema = json.dumps({"type": "record", "name": "E", "fields": fields})

    def respond(url: str, _: RegistrySite) -> Any:
        return [1] if url == VERSIONS else {"id": 1, "schema": schema}

    with pytest.raises(RegistryError):
        Reader(source("http://registry:8080"), respond).read()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_login_is_not_sent_to_another_address(status: int, tmp_path: Path) -> None:
    login = tmp_path / "login"
    login.write_text("cGlwZWxpbmVzOkFBQUE=\n")
    with responding(b"HTTP/1.0 200 OK\r\n\r\n[1]") as (other, received):
        moved = f"HTTP/1.0 {status} Moved\r\nLocation: {other}\r\n\r\n"
        with (
            responding(moved.encode()) as (url, _),
            pytest.raises(RegistryError, match=f"HTTP Error {status}"),
        ):
            fetch(url, RegistrySite((), credentials_file=str(login)))
    assert received == []


@pytest.mark.parametrize("text", ["cGlwZWxpbmVz\nOkFBQUE=", "cGlwZWxpbmVz OkFBQUE=", "é"])
def test_a_damaged_login_is_not_in_the_error(text: str, tmp_path: Path) -> None:
    login = tmp_path / "login"
    login.write_text(text)
    with pytest.raises(RegistryError, match="login is not base64 in one line") as error:
        fetch("http://127.0.0.1:1", RegistrySite((), credentials_file=str(login)))
    assert text[:5] not in str(error.value)


def test_a_response_that_arrives_slowly_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry_requests, "RESPONSE_S", -1.0)
    with (
        responding(b"HTTP/1.0 200 OK\r\n\r\n[1]") as (url, _),
        pytest.raises(RegistryError, match="the response takes longer than"),
    ):
        fetch(url, RegistrySite(()))


def test_texts_of_a_registry_are_short_and_printable_in_errors() -> None:
    phrase = "\x1b[2Jpassword=AAAA " + "x" * 60_000
    with (
        responding(f"HTTP/1.0 500 {phrase}\r\n\r\n".encode()) as (url, _),
        pytest.raises(RegistryError) as error,
    ):
        fetch(url, RegistrySite(()))
    kind = {"id": 1, "schemaType": phrase, "schema": RECORD}
    with pytest.raises(UnusableSchemaError) as other:
        Reader(
            source("http://registry:8080"), lambda url, _: [1] if url == VERSIONS else kind
        ).read()
    for text in (str(error.value), str(other.value)):
        assert len(text) < 600
        assert text.isprintable()
        assert "AAAA" not in text


def test_an_error_of_a_registry_has_one_remedy() -> None:
    with pytest.raises(RegistryError) as error:
        Reader(source("http://127.0.0.1:1")).read()
    assert explain(error.value) == str(error.value)
    assert "Connection refused" in explain(error.value)
