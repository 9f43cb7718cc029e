"""How a client gets in: options, a file of the environment, and what is refused."""

import json

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._kafka.client_options import (
    AccessError,
    effective,
    of_module,
    settings,
)

LOGIN = {
    "security_protocol": "SASL_SSL",
    "username": "ops",
    "password": "quietly",
    "ca_file": "/ca",
}


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({}, {}),
        ({"security_protocol": None, "password": ""}, {}),
        ({"security_protocol": "PLAINTEXT"}, {"security_protocol": "PLAINTEXT"}),
        (
            {"security_protocol": "SSL", "ca_file": "/ca", "cert_file": "/me"},
            {"security_protocol": "SSL", "ssl_cafile": "/ca", "ssl_certfile": "/me"},
        ),
        (
            LOGIN,
            {
                "security_protocol": "SASL_SSL",
                "ssl_cafile": "/ca",
                "sasl_plain_username": "ops",
                "sasl_plain_password": "quietly",
                "sasl_mechanism": "SCRAM-SHA-512",
            },
        ),
    ],
)
def test_options_become_settings_of_the_library(options, found):
    assert settings(options) == found


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"username": "ops"}, "username without security_protocol; one of PLAINTEXT"),
        ({"security_protocol": "TLS"}, "found 'TLS'; allowed: PLAINTEXT, SSL"),
        (LOGIN | {"security_protocol": "SSL"}, "username and password with security_protocol SSL"),
        (LOGIN | {"security_protocol": "SASL_PLAINTEXT"}, "ca_file with security_protocol SASL_"),
        (LOGIN | {"password": None}, "security_protocol SASL_SSL without password"),
        ({"security_protocol": "SSL", "key_file": "/key"}, "key_file without cert_file"),
    ],
)
def test_options_that_do_not_fit_together_are_refused(options, message):
    with pytest.raises(AccessError, match=message):
        settings(options)


def test_settings_of_the_library_win_over_options():
    found = of_module({**LOGIN, "client_config": {"ssl_cafile": "/other"}})
    assert found["ssl_cafile"] == "/other"


def written(path, options, mode=0o400):
    path.write_text(options if isinstance(options, str) else json.dumps(options))
    path.chmod(mode)
    return {"KAFKA_METAL_CLIENT": str(path)}


def test_without_a_protocol_the_file_of_the_environment_says_all(tmp_path):
    environment = written(tmp_path / "client", {**LOGIN, "client_config": {"client_id": "me"}})
    assert effective({}, environment) == {**settings(LOGIN), "client_id": "me"}
    assert effective({"client_id": "x"}, environment)["client_id"] == "x"


def test_a_protocol_of_its_own_leaves_the_file_unread():
    environment = {"KAFKA_METAL_CLIENT": "/nowhere"}
    config = {"security_protocol": "PLAINTEXT"}
    assert effective(config, environment) == config
    assert effective({}, {}) == {}


@pytest.mark.parametrize(
    ("options", "mode", "message"),
    [
        (LOGIN, 0o440, "holds a password and has mode 0440; allowed: 0400"),
        ("{", 0o400, "is no JSON$"),
        ("[]", 0o400, "is no mapping of options"),
        ({"user": "ops"}, 0o400, "found 'user'; allowed: security_protocol, ca_file"),
        ({"username": "ops"}, 0o400, "username without security_protocol"),
    ],
)
def test_a_file_that_cannot_be_taken_is_named_with_the_reason(tmp_path, options, mode, message):
    with pytest.raises(AccessError, match=message) as refusal:
        effective({}, written(tmp_path / "client", options, mode))
    assert str(refusal.value).startswith(f"KAFKA_METAL_CLIENT: {tmp_path}/client: ")
    assert "quietly" not in str(refusal.value)


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(AccessError, match="/nowhere: No such file"):
        effective({}, {"KAFKA_METAL_CLIENT": "/nowhere"})
