"""Schemas of a registry: several addresses, waiting for it, and new versions."""

import base64
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from kafka_metal_declarations.declaration import parse
from kafka_metal_declarations.model import AVAILABLE_NOW, Declaration, RegistrySite
from kafka_metal_pipeline import exit_codes, refusals, registry, registry_requests, schema_wait
from kafka_metal_pipeline.registry import (
    CONFIRM_S,
    RENEW_S,
    Fetch,
    UnusableSchemaError,
    WriterSchemas,
    resolve_schemas,
)
from kafka_metal_pipeline.registry_requests import RegistryError, fetch
from kafka_metal_pipeline.status import FAILING, STARTING, Board
from kafka_metal_pipeline.wire_format import UNKNOWN_WRITER

URLS = ["https://one:8443/apis/ccompat/v7", "https://two:8443/apis/ccompat/v7"]
RECORD = json.dumps({"type": "record", "name": "E", "fields": [{"name": "id", "type": "string"}]})
NEW_VERSION = {"id": 9, "schema": RECORD}
# As an error of a batch has it.
UNKNOWN = RuntimeError(f"[USER_RAISED_EXCEPTION] 9 {UNKNOWN_WRITER} SQLSTATE: P0001")


class Registry:
    """Responses of a registry: by URL, the versions of the subject, or an error."""

    def __init__(self, urls: list[str] = URLS, **changes: Any) -> None:
        self.versions: dict[str, Any] = {"1": {"id": 258, "schema": RECORD, **changes}}
        self.errors: dict[str, str] = {}
        # Addresses that have read only the first version.
        self.starting = set[str]()
        self.urls, self.asked = urls, list[str]()

    def __call__(self, url: str, _site: RegistrySite) -> Any:
        base, _, path = url.partition("/subjects/in-value/versions")
        assert base in self.urls
        self.asked.append(base)
        if base in self.errors:
            raise RegistryError(f"{url}: {self.errors[base]}")
        found = list(self.versions)[:1] if base in self.starting else list(self.versions)
        return self.versions[path[1:]] if path else found


def declared(trigger: str = "1 second", form: str = "avro", **own: Any) -> Declaration:
    return parse(
        "p",
        {
            "source": {
                "topic": "in",
                "format": form,
                "schema": "id STRING NOT NULL",
                **({"registry": own} if own else {}),
            },
            "registry": {"urls": URLS, "ca_file": "/ca.pem", "credentials_file": "/login"},
            "outputs": {"all": {"sql": "TABLE events", "topic": "out"}},
            "invalid": "bad",
            "trigger": trigger,
        },
    )


class Clock:
    """A clock that a test moves on."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_next_address_is_asked_if_one_fails_and_stays_first() -> None:
    found = Registry()
    found.errors[URLS[0]] = "refused"
    schemas = WriterSchemas(declared(), found)
    assert schemas.declaration.source.writers == ((258, RECORD),)
    # Versions, the first one again for the version itself.
    assert found.asked == [URLS[0], URLS[1], URLS[1]]


def test_an_instance_without_the_subject_is_not_the_last_one_asked() -> None:
    """One that has just started answers as an empty registry."""
    found = Registry()
    found.errors[URLS[0]] = "HTTP Error 404: Not Found"
    assert resolve_schemas(declared(), found).source.writers
    found.errors[URLS[1]] = "HTTP Error 404: Not Found"
    causes = r"check that it runs.*one:8443.*404.*; https://two:8443.*404"
    with pytest.raises(RegistryError, match=causes):
        resolve_schemas(declared(), found)


def test_a_declared_address_replaces_those_of_the_site() -> None:
    found = Registry(["http://mine/v7"])
    assert resolve_schemas(declared(url="http://mine/v7/"), found).source.writers
    source = declared(urls=["http://mine/v7"]).source
    assert source.registry
    assert source.registry.site == RegistrySite(("http://mine/v7",))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schemaType": "JSON"}, "versions/1 is JSON, not AVRO"),
        ({"references": [{"name": "x"}]}, "refers to other schemas"),
        ({"schema": '{"type": "string"}'}, "is not a record"),
        ({"schema": '"string"'}, "is not a record"),
    ],
)
def test_a_schema_that_cannot_be_read_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UnusableSchemaError, match=message):
        resolve_schemas(declared(), Registry(**changes))
    assert UnusableSchemaError in refusals.REFUSALS


def test_a_json_schema_may_refer_to_others() -> None:
    found = Registry(schemaType="JSON", schema="{}", references=[{"name": "x"}])
    assert resolve_schemas(declared(form="json_schema"), found).source.writers == ((258, "{}"),)
    with pytest.raises(UnusableSchemaError, match="is AVRO, not JSON"):
        resolve_schemas(declared(form="json_schema"), Registry())


@pytest.mark.parametrize("get", [lambda *_: [], fetch], ids=["no version", "unreachable"])
def test_errors_hide_the_user_of_a_registry(get: Fetch) -> None:
    with pytest.raises(RegistryError, match=r"http://<hidden>@127\.0\.0\.1:1/") as error:
        resolve_schemas(declared(url="http://AAAA@127.0.0.1:1"), get)
    assert "AAAA" not in str(error.value)
    assert not isinstance(error.value, refusals.REFUSALS)


def test_a_response_that_is_too_large_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry_requests, "LIMIT_BYTES", 7)
    with pytest.raises(RegistryError, match="the response is larger than"):
        fetch("data:application/json,[1,2,3,4]", RegistrySite(()))
    assert fetch("data:application/json,[1,2]", RegistrySite(())) == [1, 2]


def test_subject_may_have_any_name() -> None:
    found = declared(subject="a/b").source.registry
    assert found is not None
    assert (found.subject, found.site and list(found.site.urls)) == ("a/b", URLS)


@pytest.fixture
def server() -> Iterator[tuple[str, list[str | None]]]:
    """A registry's address, and the logins that it has received."""
    received: list[str | None] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            received.append(self.headers["Authorization"])
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps([1] if self.path.endswith("s") else NEW_VERSION).encode())

        def log_message(self, *_: object) -> None:
            pass

    found = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=found.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{found.server_port}", received
    found.shutdown()


def test_a_login_is_read_for_each_request(
    server: tuple[str, list[str | None]], tmp_path: Path
) -> None:
    url, received = server
    login = tmp_path / "login"
    source = declared().source
    site = RegistrySite((url,), credentials_file=str(login))
    reader = registry.Reader(replace(source, registry=replace(source.registry, site=site)))
    with pytest.raises(RegistryError, match="No such file"):
        reader.read()
    for password in ("a", "b"):
        text = base64.b64encode(f"pipelines:{password}".encode())
        login.write_bytes(text + b"\n")
        assert reader.read() == {9: RECORD}
        assert received[-1] == f"Basic {text.decode()}"


class Stop(threading.Event):
    """Counts the pauses; set after so many of them, or never."""

    def __init__(self, after: int = 1_000) -> None:
        super().__init__()
        self.pauses, self._after = 0, after

    def wait(self, timeout: float | None = None) -> bool:
        self.pauses += 1
        return self.pauses >= self._after


def file(declaration: Declaration) -> Any:
    """A file with a declaration that does not change."""
    return SimpleNamespace(declaration=declaration, seen="", error="", reload=lambda: False)


def test_a_driver_waits_for_its_registry() -> None:
    board, stopping, found = Board("p", ["all", "invalid"]), Stop(), Registry()
    found.errors = dict.fromkeys(URLS, "Connection refused")
    states = []

    def read(declaration: Declaration) -> WriterSchemas:
        states.append(board.snapshot())
        if len(states) == 4:
            found.errors = {}
        return WriterSchemas(declaration, found)

    schemas = schema_wait.read_schemas(file(declared()), board, stopping, read)

    assert isinstance(schemas, WriterSchemas)
    assert schemas.declaration.source.writers
    assert [each["state"] for each in states] == [STARTING, FAILING, FAILING, FAILING]
    output = states[-1]["outputs"]["all"]
    assert "Connection refused" in output["exception"]
    assert output["restarts"] == 2
    assert output["retry_at"]
    after = board.snapshot()
    assert (after["state"], after["refused"], after["failed_starts"]) == (STARTING, False, 0)
    assert after["outputs"]["all"]["exception"] is None


def test_a_driver_that_waits_stops_on_a_signal() -> None:
    found = Registry()
    found.errors = dict.fromkeys(URLS, "Connection refused")
    board, stopping = Board("p", ["all", "invalid"]), Stop(after=3)
    waited = schema_wait.read_schemas(
        file(declared()), board, stopping, lambda declaration: WriterSchemas(declaration, found)
    )
    assert (waited, stopping.pauses) == (exit_codes.DONE, 3)


@pytest.mark.parametrize(
    ("trigger", "changes", "errors"),
    [(AVAILABLE_NOW, {}, dict.fromkeys(URLS, "refused")), ("1 second", {"schemaType": "JSON"}, {})],
    ids=["available-now", "unusable schema"],
)
def test_a_driver_does_not_wait(trigger: str, changes: Any, errors: Any) -> None:
    found = Registry(**changes)
    found.errors = errors
    stopping = Stop()
    with pytest.raises(RegistryError):
        schema_wait.read_schemas(
            file(declared(trigger)), Board("p", ["all", "invalid"]), stopping,
            lambda declaration: WriterSchemas(declaration, found),
        )  # fmt: skip
    assert stopping.pauses == 0


@pytest.fixture
def renewed() -> tuple[WriterSchemas, Registry, Clock]:
    found, clock = Registry(), Clock()
    return WriterSchemas(declared(), found, clock), found, clock


Renewed = tuple[WriterSchemas, Registry, Clock]


def test_a_version_is_read_when_a_record_has_it(renewed: Renewed) -> None:
    schemas, found, clock = renewed
    assert schemas.declaration.source.fails_for_unknown_writers
    found.versions["2"] = NEW_VERSION
    # Nobody asks the registry again without a reason.
    assert not schemas.renew([RuntimeError("no leader")])

    assert schemas.renew([UNKNOWN])

    source = schemas.declaration.source
    assert [writer for writer, _ in source.writers] == [9, 258]
    assert source.fails_for_unknown_writers
    clock.now += RENEW_S
    assert not schemas.renew([])


def test_an_id_is_unknown_only_after_an_instance_may_have_read_all(renewed: Renewed) -> None:
    schemas, found, clock = renewed
    began = clock.now
    while clock.now < began + CONFIRM_S:
        assert not schemas.renew([UNKNOWN])
        assert schemas.is_waiting
        clock.now += RENEW_S
    assert schemas.renew([UNKNOWN])
    assert not schemas.is_waiting
    assert not schemas.declaration.source.fails_for_unknown_writers
    clock.now += RENEW_S
    assert not schemas.renew([])

    found.versions["2"] = NEW_VERSION
    clock.now += RENEW_S
    assert schemas.renew([])
    assert schemas.declaration.source.fails_for_unknown_writers


def test_a_version_is_read_from_the_instance_that_has_it(renewed: Renewed) -> None:
    """The address that responded last has just started, and has not read this version yet."""
    schemas, found, clock = renewed
    found.versions["2"] = NEW_VERSION
    found.starting = {URLS[0]}
    assert not schemas.renew([UNKNOWN])
    clock.now += RENEW_S
    assert schemas.renew([UNKNOWN])
    assert [writer for writer, _ in schemas.declaration.source.writers] == [9, 258]


def test_known_versions_stay_known(renewed: Renewed) -> None:
    """An instance that has just started answers with a part of the versions."""
    schemas, found, _ = renewed
    found.versions = {"2": NEW_VERSION}
    assert schemas.renew([UNKNOWN])
    assert [writer for writer, _ in schemas.declaration.source.writers] == [9, 258]


def test_a_registry_that_does_not_respond_is_asked_again_later(renewed: Renewed) -> None:
    schemas, found, clock = renewed
    found.versions["2"] = NEW_VERSION
    found.errors = dict.fromkeys(URLS, "refused")
    before = len(found.asked)

    assert not schemas.renew([UNKNOWN])
    assert not schemas.renew([UNKNOWN])
    assert len(found.asked) == before + len(URLS)
    found.errors = {}
    clock.now += RENEW_S
    assert schemas.renew([UNKNOWN])


def test_a_time_without_the_registry_proves_nothing(renewed: Renewed) -> None:
    """An instance that is back may have read a part of the versions."""
    schemas, found, clock = renewed
    assert not schemas.renew([UNKNOWN])
    clock.now += CONFIRM_S
    found.errors = dict.fromkeys(URLS, "refused")
    assert not schemas.renew([UNKNOWN])
    # With available-now, nothing is repeated: the job fails.
    assert not schemas.is_waiting
    clock.now += RENEW_S
    found.errors = {}
    assert not schemas.renew([UNKNOWN])
    assert schemas.is_waiting
    clock.now += CONFIRM_S
    assert schemas.renew([UNKNOWN])
    assert not schemas.declaration.source.fails_for_unknown_writers


def test_a_source_without_a_registry_has_no_schemas_to_renew() -> None:
    plain = replace(declared(), source=replace(declared().source, registry=None))
    schemas = WriterSchemas(plain, Registry())
    assert not schemas.declaration.source.fails_for_unknown_writers
    assert not schemas.renew([UNKNOWN])
