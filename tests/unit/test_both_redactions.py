"""One table for both functions that hide secrets: redact of logs, hide_passwords of messages.

The hosts do not have the declarations' package, so there are two. What one hides, the other hides.
"""

import json
import time

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._containers.support.redaction import (
    redact,
)
from kafka_metal_declarations.printable_values import hide_passwords

PLANTED = "hunter2planted"
BOTH = pytest.mark.parametrize("hide", [redact, hide_passwords])

SECRETS = (
    # Parameters of a URL.
    f"https://a.blob.example.com/c?sv=1&sig={PLANTED}&se=2",
    f"GET /c?sig={PLANTED} HTTP/1.1",
    f"https://s3.example.com/b?X-Amz-Signature={PLANTED}",
    f"jdbc:postgresql://db/shop?user=a&pass={PLANTED}",
    f"https://example.com/#access_token={PLANTED}",
    f"https://example.com/?a=http%3A%2F%2Fb%3Ftoken%3D{PLANTED}",
    f"sqlserver://db; password={{a;}}}}{PLANTED}}};user=u",
    f"AccountName=a;AccountKey={PLANTED};EndpointSuffix=core.example.com",
    f"SharedAccessSignature=sv=1&sig={PLANTED}",
    # Fields.
    f"pass={PLANTED}",
    f"db.pass={PLANTED}",
    f"dbPass={PLANTED}",
    f"pg_pass: {PLANTED}",
    f"private_key={PLANTED}",
    f"privateKey: {PLANTED}",
    f"password: {PLANTED}",
    f"the password : {PLANTED} of a user",
    f"client_secret = {PLANTED}",
    f"token => {PLANTED}",
    f"passphrase: '{PLANTED}'",
    f"user: a, password: {PLANTED}, port: 1",
    f"{{'password': 'a b {PLANTED}'}}",
    json.dumps({"password": f"a b {PLANTED}"}),
    json.dumps({"text": json.dumps({"api_key": PLANTED})}),
    f"Authorization: Bearer {PLANTED}",
    # Users of a URL.
    f"https://{PLANTED}@example.com/x.git",
    f"cannot clone https://{PLANTED}@example.com/x.git: 404",
    f"https://{PLANTED}:x-oauth-basic@example.com/x.git",
    f"https://{PLANTED}:@example.com",
    f"nats://{PLANTED}@example.com:4222",
    f"postgresql://shop:{PLANTED}@db:5432/shop",
    f'oracle:thin:shop/"a@{PLANTED}"@//db:1521/shop',
    f"the broker is shop:{PLANTED}@kafka1:9092",
)


@BOTH
@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_is_hidden_in_logs_and_in_messages(hide, text):
    assert PLANTED not in hide(text)


@BOTH
@pytest.mark.parametrize(
    "text",
    [
        "passed=3, passes: 4, bypass=1, compass: x, design=1, assigned: 2",
        "the password is wrong",
        "InvalidTokenException: expired",
        "java.io.SecretStoreError: no entry",
        "http://127.0.0.1:9290/api/v1/alerts?active=true",
        "image: kafka:4.1@sha256:0123456789abcdef",
        "mail ops@example.com",
    ],
)
def test_other_text_is_kept_in_logs_and_in_messages(hide, text):
    assert hide(text) == text


@BOTH
@pytest.mark.parametrize(
    "unit",
    ['password:"', "pass: ", "sig=", "https://a", "Pass", "authorization: bearer ", "token\\", " "],
)
def test_hostile_text_is_searched_in_less_than_a_second(hide, unit):
    # Of this process: the machine may be busy.
    started = time.process_time()
    hide(unit * (100_000 // len(unit)))
    assert time.process_time() - started < 1
