"""Support archives have the needed texts and no secrets."""

import json
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._containers.support import (
    collector,
    text_archive,
)
from ansible_collections.metal.kafka.plugins.module_utils._containers.support.redaction import (
    REMOVED,
    redact,
)
from ansible_collections.metal.kafka.plugins.module_utils._host import data_ownership

PLANTED = "hunter2-planted"
KEY = "-----BEGIN PRIVATE KEY-----\nMIIplanted\n-----END PRIVATE KEY-----"


@pytest.mark.parametrize(
    "text",
    [
        f"password={PLANTED}",
        f"ssl.keystore.password = {PLANTED}",
        f"sasl_plain_password: {PLANTED}",
        f'sasl.jaas.config=Scram required username="a" password="{PLANTED}";',
        json.dumps({"sasl.password": PLANTED}),
        json.dumps({"config": json.dumps({"api_key": PLANTED})}),
        json.dumps({"Env": [f"DB_PASSWORD={PLANTED}", "LANG=C"]}),
        f"routing_key: '{PLANTED}'",
        f"-Djavax.net.ssl.trustStorePassword={PLANTED} -Xmx1g",
        f"jdbc:postgresql://shop:{PLANTED}@db.example.com/shop",
        f"Authorization: Bearer {PLANTED}",
        KEY.replace("MIIplanted", PLANTED),
        json.dumps({"pem": KEY.replace("MIIplanted", PLANTED)}),
        f"cut off -----BEGIN RSA PRIVATE KEY-----\n{PLANTED}",
    ],
)
def test_values_that_look_like_secrets_are_removed(text):
    assert PLANTED not in redact(text)
    assert REMOVED in redact(text)


def test_known_secret_is_removed_everywhere():
    assert redact(f"password {PLANTED} rejected", [PLANTED]) == f"password {REMOVED} rejected"


@pytest.mark.parametrize(
    "text",
    [
        "log.retention.hours=168\nnum.io.threads=8",
        "INFO [SocketServer] Awaiting socket connections on 127.0.0.1:9092",
        '{"Memory": 1610612736, "Name": "/local-kafka1"}',
        "http://127.0.0.1:9290/api/v1/alerts",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    ],
)
def test_other_text_is_kept(text):
    assert redact(text) == text


def test_text_after_a_secret_is_kept():
    found = redact(f'{{"password": "{PLANTED}", "port": 9092}}\nnext line')

    assert found == f'{{"password": "{REMOVED}", "port": 9092}}\nnext line'


def test_secret_files_are_listed_without_content(tmp_path):
    folder = tmp_path / "local-kafka1"
    folder.mkdir()
    for name, mode in (("server.properties", 0o440), ("broker.pem", 0o400)):
        (folder / name).write_text(PLANTED)
        (folder / name).chmod(mode)
    (tmp_path / "other-kafka1").mkdir()
    (tmp_path / "other-kafka1/server.properties").write_text("of another cluster")

    found = dict(collector.collect_files(tmp_path, "local-"))

    assert found["local-kafka1/server.properties"] == PLANTED
    assert PLANTED not in found["local-kafka1/broker.pem"]
    assert set(found) == {"local-kafka1/server.properties", "local-kafka1/broker.pem"}


def test_files_of_a_cluster_with_the_same_prefix_are_excluded(tmp_path):
    for cluster in ("local", "local-eu"):
        folder = tmp_path / f"{cluster}-kafka1"
        folder.mkdir()
        (folder / "server.properties").write_text(cluster)
        data_ownership.mark(str(folder), cluster, "kafka1")

    found = dict(collector.collect_files(tmp_path, "local-"))

    assert {name.split("/")[0] for name in found} == {"local-kafka1"}


def test_missing_engine_is_reported_in_the_archive(tmp_path):
    kept = tmp_path / "log/local-kafka1"
    kept.mkdir(parents=True)
    (kept / "log.1").write_text("first\nsecond\nthird\n")
    (kept / "log").write_text("fourth\n")

    found = collector.collect(
        "l", tmp_path, tmp_path / "log", "local-", 3, str(tmp_path / "no.sock")
    )

    assert "does not respond" in found["engine-blocker.txt"]
    # The log files of services need no engine.
    assert found["logs/local-kafka1.file.log"] == "second\nthird\nfourth"
    assert found["machine/proc/meminfo.txt"].startswith("MemTotal")


def test_joined_archive_is_readable_only_by_its_owner(tmp_path):
    for name in ("node1", "node2"):
        (tmp_path / name).mkdir()
        text = {"logs/a.log": f"{name} {PLANTED}"}
        text_archive.write(tmp_path / f"{name}/machine.tar.gz", text, 0)

    joined = text_archive.redact_sources(sorted(tmp_path.glob("*/*.tar.gz")), [PLANTED])
    text_archive.write(tmp_path / "all.tar.gz", joined, 0)

    assert joined == {f"node{n}/logs/a.log": f"node{n} {REMOVED}" for n in (1, 2)}
    assert (tmp_path / "all.tar.gz").stat().st_mode & 0o777 == 0o600
    with tarfile.open(tmp_path / "all.tar.gz") as archive:
        assert archive.getnames() == ["node1/logs/a.log", "node2/logs/a.log"]


@pytest.mark.parametrize(("password", "found"), [("secret", "metrics"), ("", "401")])
def test_metrics_are_read_with_a_password(password, found):
    class Secured(BaseHTTPRequestHandler):
        def do_GET(self):
            # operator:secret
            known = self.headers["Authorization"] == "Basic b3BlcmF0b3I6c2VjcmV0"
            self.send_response(200 if known else 401)
            self.end_headers()
            self.wfile.write(b"metrics" if known else b"")

        def log_message(self, *_):
            """Suppress the log."""

    with HTTPServer(("127.0.0.1", 0), Secured) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        assert found in collector.fetch(f"http://127.0.0.1:{server.server_port}/", password)
