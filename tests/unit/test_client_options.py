"""Connection options of modules, and the file in the environment variable."""

import json

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._kafka.client_options import (
    ClientOptionsError,
    effective_config,
    module_settings,
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
def test_options_are_converted_to_library_settings(options, found):
    assert settings(options) == found


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"username": "ops"}, "username: security_protocol is required; allowed: PLAINTEXT"),
        ({"security_protocol": "TLS"}, "found 'TLS'; allowed: PLAINTEXT, SSL"),
        (
            LOGIN | {"security_protocol": "SSL"},
            "username and password: not used with security_protocol SSL",
        ),
        (
            LOGIN | {"security_protocol": "SASL_PLAINTEXT"},
            "ca_file: not used with security_protocol SASL_",
        ),
        (LOGIN | {"password": None}, "security_protocol SASL_SSL: required: password"),
        ({"security_protocol": "SSL", "key_file": "/key"}, "key_file: cert_file is required"),
    ],
)
def test_contradicting_options_are_an_error(options, message):
    with pytest.raises(ClientOptionsError, match=message):
        settings(options)


def test_client_config_overrides_options():
    found = module_settings({**LOGIN, "client_config": {"ssl_cafile": "/other"}})
    assert found["ssl_cafile"] == "/other"


def written(path, options, mode=0o400):
    path.write_text(options if isinstance(options, str) else json.dumps(options))
    path.chmod(mode)
    return {"KAFKA_METAL_CLIENT": str(path)}


def test_without_a_protocol_the_file_is_used(tmp_path):
    environment = written(tmp_path / "client", {**LOGIN, "client_config": {"client_id": "me"}})
    assert effective_config({}, environment) == {**settings(LOGIN), "client_id": "me"}
    assert effective_config({"client_id": "x"}, environment)["client_id"] == "x"


def test_with_a_protocol_the_file_is_not_read():
    environment = {"KAFKA_METAL_CLIENT": "/nowhere"}
    config = {"security_protocol": "PLAINTEXT"}
    assert effective_config(config, environment) == config
    assert effective_config({}, {}) == {}


@pytest.mark.parametrize(
    ("options", "mode", "message"),
    [
        (LOGIN, 0o440, "contains a password and has mode 0440; allowed: 0400"),
        ("{", 0o400, "is not JSON; make up writes the file of a broker$"),
        ("", 0o400, "is empty; make up writes the file of a broker$"),
        ("[]", 0o400, "is not a mapping of options; make up"),
        ("{}", 0o400, "has no options; make up writes the file of a broker$"),
        ({"user": "ops"}, 0o400, "found 'user'; allowed: security_protocol, ca_file"),
        ({"username": "ops"}, 0o400, "username: security_protocol is required"),
    ],
)
def test_invalid_file_is_named_with_the_reason(tmp_path, options, mode, message):
    with pytest.raises(ClientOptionsError, match=message) as refusal:
        effective_config({}, written(tmp_path / "client", options, mode))
    assert str(refusal.value).startswith(f"KAFKA_METAL_CLIENT: {tmp_path}/client: ")
    assert "quietly" not in str(refusal.value)


def test_missing_file_is_named():
    with pytest.raises(ClientOptionsError, match="/nowhere: No such file or directory; make up"):
        effective_config({}, {"KAFKA_METAL_CLIENT": "/nowhere"})
