"""Secrets in all notations of logs, configurations and responses, and text without secrets."""

import base64
import json
import time
import urllib.parse

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._containers.support.redaction import (
    REMOVED,
    find_secrets,
    redact,
)

PLANTED = "hunter2-planted"
KEY = f"-----BEGIN PRIVATE KEY-----\n{PLANTED}\n-----END PRIVATE KEY-----"

NOTATIONS = (
    f"password={PLANTED}",
    f"ssl.keystore.password = {PLANTED}",
    f"sasl_plain_password: {PLANTED}",
    f'sasl.jaas.config=Scram required username="a" password="{PLANTED}";',
    f"{{'password': '{PLANTED}', 'user': 'a'}}",
    f"{{password={PLANTED}, user=a}}",
    f"password => {PLANTED}",
    f"'password' => '{PLANTED}'",
    json.dumps({"sasl.password": PLANTED}),
    json.dumps({"passwords": [PLANTED, PLANTED]}),
    json.dumps({"config": json.dumps({"api_key": PLANTED})}),
    json.dumps({"a": json.dumps({"b": json.dumps({"client_secret": PLANTED})})}),
    json.dumps({"Env": [f"DB_PASSWORD={PLANTED}", "LANG=C"]}),
    f"<password>{PLANTED}</password>",
    f'<ns:secretKey type="x">{PLANTED}</ns:secretKey>',
    f'<property name="db.password" value="{PLANTED}"/>',
    f"password=&quot;{PLANTED}&quot;",
    f"routing_key: '{PLANTED}'",
    f'routing_key: "{PLANTED}"',
    f"password: |\n  {PLANTED}\n  {PLANTED}\nnext: line",
    f"  - token: >-\n      {PLANTED}\n  - other: value",
    f"-Djavax.net.ssl.trustStorePassword={PLANTED} -Xmx1g",
    f"tool --password {PLANTED} --verbose",
    f"tool --password={PLANTED}",
    f"curl -u operator:{PLANTED} http://127.0.0.1",
    f"curl --user operator:{PLANTED} http://127.0.0.1",
    f"machine h login a password {PLANTED}",
    f"jdbc:postgresql://shop:{PLANTED}@db.example.com/shop",
    f"jdbc:postgresql://shop:a/{PLANTED}@db.example.com/shop",
    f"cannot open mongodb://shop:a@{PLANTED}@db.example.com:27017/shop",
    f"jdbc:postgresql://db/shop?user=a&password=a,b){PLANTED}&ssl=true",
    f'jdbc:oracle:thin:shop/"a@{PLANTED}"@//db.example.com:1521/shop',
    f"jdbc:sqlserver://db;user=a;password={{{PLANTED};}}}}{PLANTED}}};encrypt=true",
    f"jdbc:oracle:thin:shop/{PLANTED}@//db.example.com:1521/shop",
    f'open jdbc:oracle:thin:scott/"ti/ger @{PLANTED}"@//db.example.com:1521/shop failed',
    json.dumps({"error": f'thin:"sco tt"/"ti ger@{PLANTED}"@db: no listener'}),
    f"thin:scott/&quot;a@{PLANTED}&quot;@db.example.com",
    f'jdbc:oracle:thin:scott/"cut @ {PLANTED}',
    f"thin:scott/{PLANTED}@db.example.com",
    f"the broker is shop:{PLANTED}@kafka1:9092, or kafka2:9092",
    f"bootstrap.servers=kafka2:9092,shop:a@{PLANTED}@kafka1:9092",
    f"HTTP_PROXY=shop:{PLANTED}@proxy.example.com",
    f"open jdbc:postgresql://shop:a b@c {PLANTED}@db.example.com:5432/shop: refused",
    f"open jdbc:postgresql://shop:a@b {PLANTED}@db.example.com/shop: refused",
    f"open 'mongodb://shop:a {PLANTED}@db.example.com'",
    f"redis://:a {PLANTED}@cache.example.com",
    f"redis://:{PLANTED}@cache.example.com",
    f"jdbc:postgresql://db/shop?user=a&password={PLANTED}&ssl=true",
    f"GET /x?access_token={PLANTED}&a=b HTTP/1.1",
    f"callback=http%3A%2F%2Fa%3Ftoken%3D{PLANTED}%26b",
    f"Authorization: Bearer {PLANTED}",
    f'{{"Authorization": "Basic {base64.b64encode(PLANTED.encode()).decode()}"}}',
    f"x-api-key: {PLANTED}",
    f"Set-Cookie: {PLANTED}; Path=/",
    f"ALTER USER a IDENTIFIED BY '{PLANTED}'",
    f"SCRAM-SHA-512=[iterations=8192,password={PLANTED}]",
    f"slack_api_url: https://hooks.slack.com/services/T0/B0/{PLANTED}",
    f"posting to https://hooks.slack.com/services/T0/B0/{PLANTED}: 404",
    f"aws_secret_access_key = {PLANTED}",
    KEY,
    json.dumps({"pem": KEY}),
    f"cut off -----BEGIN RSA PRIVATE KEY-----\n{PLANTED}",
)


@pytest.mark.parametrize("text", NOTATIONS)
def test_values_that_look_like_secrets_are_removed(text):
    found = redact(text)
    assert PLANTED not in found
    assert base64.b64encode(PLANTED.encode()).decode() not in found
    assert REMOVED in found


@pytest.mark.parametrize(
    "token",
    [
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N",
        "session-eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N",
        "xoxb-1234567890-abcdefgh",
        "AKIA" + "ABCDEFGHIJKLMNOP",
    ],
)
def test_tokens_with_known_prefixes_are_removed(token):
    assert token not in redact(f"sent {token} to a server")


@pytest.mark.parametrize(
    "text",
    [
        f"password {PLANTED} rejected",
        f"value {base64.b64encode(PLANTED.encode()).decode()} end",
        f"header {base64.b64encode(b'operator:' + PLANTED.encode()).decode()} end",
        f"header {base64.b64encode(b'a:' + PLANTED.encode()).decode()} end",
        f"q={urllib.parse.quote('p&=' + PLANTED, safe='')}",
    ],
)
def test_known_secret_is_removed_in_every_encoding(text):
    found = redact(text, [PLANTED])
    assert PLANTED not in found
    for piece in found.split():
        if len(piece) > 12:
            padded = piece + "=" * (-len(piece) % 4)
            try:
                assert PLANTED.encode() not in base64.b64decode(padded)
            except ValueError:
                continue


def test_lines_of_a_known_key_are_removed():
    body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7"
    key = f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n"
    assert body not in redact(f"a line of a file: {body}", [key])


@pytest.mark.parametrize(
    "text",
    [
        "log.retention.hours=168\nnum.io.threads=8",
        "INFO [SocketServer] Awaiting socket connections on 127.0.0.1:9092",
        '{"Memory": 1610612736, "Name": "/local-kafka1"}',
        "http://127.0.0.1:9290/api/v1/alerts",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        'kafka_server_metrics{listener="CLIENTS"} 3',
        "2026-03-02 10:00:00 WARN a topic has 3 partitions, 2 in sync",
        # Addresses, principals and times.
        "mail ops@example.com, mailto:ops@example.com or smtp: ops@example.com:25",
        "at 12:30@example.com:9092, T12:30@kafka1:9092, 2026-03-02T12:30:00@kafka1:9092",
        "see http://db:8080. Mail ops@example.com/help, or https://db:443 for a b@c:22",
        "see docs://host:name and ask ops@example.com",
        "User:alice@EXAMPLE.COM:1 and kafka/kafka1@EXAMPLE.COM:88 from http://[::1]:9404/x@y",
        # Images.
        "url: registry:5000/kafka:4.1@sha256:0123456789abcdef",
        "image: kafka:4.1@sha256:12345 from docker://kafka:4.1@sha256:0123456789abcdef",
        # Hosts with ports, such as voters, and URLs without a password.
        "controller.quorum.voters=1@kafka1:9093,2@kafka2:9093,kafka3:9093,3@kafka3:9093",
        "jdbc:oracle:thin:@db:1521:shop, jdbc:oracle:thin:@//db:1521/shop",
        "jdbc:postgresql://db/x@y:1 and spark://Scheduler@kafka1:4040 and Object:Lock@1a2b3c",
        "a thin: line/with@db:1521",
        "git@github.com:org/repo, root@kafka1:/etc, proxy: off, url = mailto:ops@example.com",
    ],
)
def test_other_text_is_kept(text):
    assert redact(text) == text


def test_text_after_a_secret_is_kept():
    found = redact(f'{{"password": "{PLANTED}", "port": 9092}}\nnext line')
    assert found == f'{{"password": "{REMOVED}", "port": 9092}}\nnext line'


def test_secrets_of_receivers_are_found_by_key():
    receivers = {
        "page": {"pagerduty": [{"routing_key": "a"}], "slack": [{"api_url": "b", "channel": "c"}]},
        "ticket": {"webhook": [{"url": "d", "http_config": {"basic_auth": {"password": "e"}}}]},
    }
    assert sorted(find_secrets(receivers)) == ["a", "b", "d", "e"]


def test_unclosed_quote_is_redacted_in_linear_time():
    text = f'password="{PLANTED}\n' + 'password="' * 20_000
    assert PLANTED not in redact(text)


@pytest.mark.parametrize(
    "unclosed", [";password={", "oracle:a:b/", "<password ", "https://pagerduty/", "a://b:c"]
)
def test_unclosed_values_are_searched_in_linear_time(unclosed):
    assert PLANTED not in redact(unclosed * 10_000 + f" password={PLANTED}")


def test_a_port_is_no_password():
    text = "http://db.example.com:8080/users/a@example.com of spark://Scheduler@kafka1:4040"
    assert redact(text) == text


@pytest.mark.parametrize(
    "unit",
    ["a", "-", "\n", " ", "@", ":@", "a:b,", "a:b@", "a:b@c:1,", "a://b:c ", "a://b:c @", "a@b ",
     'oracle:a:b/"', 'thin:b/', "eyJ-", "pagerduty", "password ", "proxy=", "proxy=a:b", "://a:"],
)  # fmt: skip
@pytest.mark.parametrize("begin", ["", "http://pagerduty", "a://b:c ", "a://:b c@d"])
@pytest.mark.parametrize("end", ["", " ://"])
def test_hostile_lines_are_searched_in_less_than_a_second(begin, unit, end):
    text = begin + unit * (100_000 // len(unit)) + end
    # Of this process: the machine may be busy.
    started = time.process_time()
    redact(text)
    assert time.process_time() - started < 1


def test_the_host_and_the_text_around_a_password_are_kept():
    text = 'open jdbc:oracle:thin:scott/"ti/ger@x"@//h:1521/d or shop:x@h:9092 or a://b:c d@h/e now'
    assert redact(text) == (
        f"open jdbc:oracle:thin:scott/{REMOVED}@//h:1521/d or shop:{REMOVED}@h:9092 "
        f"or a://b:{REMOVED}@h/e now"
    )
