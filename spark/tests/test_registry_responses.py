"""Errors of a schema registry: whatever it responds, there is a cause and what helps."""

import socket
import threading
from typing import Any

import pytest
from kafka_metal_declarations.declaration import parse
from kafka_metal_declarations.model import RegistrySite, Source
from kafka_metal_pipeline.failures import explain
from kafka_metal_pipeline.registry import Reader, RegistryError, fetch

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
    with socket.create_server(("127.0.0.1", 0)) as server:

        def respond() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(10_000)
                connection.sendall(response)

        threading.Thread(target=respond, daemon=True).start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(RegistryError, match="the schema registry gives no schema: "):
            Reader(source(url)).read()


@pytest.mark.parametrize(
    "schema", [None, [], {}, {"id": 1, "schema": "["}, {"id": "x", "schema": '{"type": "record"}'}]
)
def test_a_schema_of_a_wrong_shape_is_an_error(schema: Any) -> None:
    def respond(url: str, _: RegistrySite) -> Any:
        return [1] if url == VERSIONS else schema

    with pytest.raises(RegistryError, match="the schema registry gives no schema: "):
        Reader(source("http://registry:8080"), respond).read()


def test_an_error_of_a_registry_has_one_remedy() -> None:
    with pytest.raises(RegistryError) as error:
        Reader(source("http://127.0.0.1:1")).read()
    assert explain(error.value) == str(error.value)
    assert "Connection refused" in explain(error.value)
