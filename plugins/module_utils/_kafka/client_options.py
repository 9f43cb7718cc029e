# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""How a client gets into a cluster: options of modules in the words of the client library."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# Names a JSON file with the options below, for all modules of a play at once. Whoever reads it
# gets in, so nobody but its owner may.
VARIABLE = "KAFKA_METAL_CLIENT"
PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS = ("SCRAM-SHA-512", "SCRAM-SHA-256", "PLAIN")
OTHERS = 0o077

# Option, and the setting of kafka-python that it stands for.
SETTINGS = {
    "security_protocol": "security_protocol",
    "ca_file": "ssl_cafile",
    "cert_file": "ssl_certfile",
    "key_file": "ssl_keyfile",
    "username": "sasl_plain_username",
    "password": "sasl_plain_password",
    "mechanism": "sasl_mechanism",
}

# Arguments of every module that speaks to Kafka, documented in the fragment ``client``.
ARGUMENTS: dict[str, dict[str, Any]] = {
    "bootstrap_servers": {"type": "list", "elements": "str", "required": True},
    "client_config": {"type": "dict", "default": {}, "no_log": True},
    "security_protocol": {"type": "str", "choices": list(PROTOCOLS)},
    "ca_file": {"type": "path"},
    "cert_file": {"type": "path"},
    "key_file": {"type": "path", "no_log": False},
    "username": {"type": "str"},
    "password": {"type": "str", "no_log": True},
    "mechanism": {"type": "str", "choices": list(MECHANISMS)},
}


class AccessError(ValueError):
    """Options that cannot be taken together, or a file that cannot; says which and why."""


def settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of kafka-python from options, without those that say nothing.

    Raises AccessError when the options do not fit together.
    """
    given = {key: options[key] for key in SETTINGS if options.get(key)}
    found = {SETTINGS[key]: value for key, value in given.items()}
    protocol = given.get("security_protocol")
    if not given:
        return {}
    if protocol is None:
        raise AccessError(f"{_names(given)} without security_protocol; one of {_all(PROTOCOLS)}")
    if protocol not in PROTOCOLS:
        raise AccessError(f"security_protocol: found {protocol!r}; allowed: {_all(PROTOCOLS)}")
    sasl, tls = protocol.startswith("SASL_"), protocol.endswith("SSL")
    login, files = ("username", "password", "mechanism"), ("ca_file", "cert_file", "key_file")
    useless = (() if sasl else login) + (() if tls else files)
    idle = [key for key in useless if key in given]
    if idle:
        raise AccessError(f"{_names(idle)} with security_protocol {protocol}, which has no use")
    if "key_file" in given and "cert_file" not in given:
        raise AccessError("key_file without cert_file")
    if sasl:
        lacking = [key for key in ("username", "password") if key not in given]
        if lacking:
            raise AccessError(f"security_protocol {protocol} without {_names(lacking)}")
        found.setdefault("sasl_mechanism", MECHANISMS[0])
    return found


def of_module(params: Mapping[str, Any]) -> dict[str, Any]:
    """What a module's arguments say; a setting in ``client_config`` wins over an option."""
    return {**settings(params), **(params.get("client_config") or {})}


def from_file(path: str) -> dict[str, Any]:
    """Settings from a JSON file of options; raises AccessError.

    A file that holds a password and that others may read is refused.
    """
    try:
        mode = Path(path).stat().st_mode
        options = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise AccessError(f"{VARIABLE}: {path}: {error.strerror}") from None
    except ValueError:
        # Without the reason: it would quote the file.
        raise AccessError(f"{VARIABLE}: {path}: is no JSON") from None
    if not isinstance(options, dict):
        raise AccessError(f"{VARIABLE}: {path}: is no mapping of options")
    unknown = sorted(set(options) - set(SETTINGS) - {"client_config"})
    if unknown:
        raise AccessError(
            f"{VARIABLE}: {path}: found {unknown[0]!r}; allowed: {_all(SETTINGS)}, client_config"
        )
    if options.get("password") and mode & OTHERS:
        raise AccessError(
            f"{VARIABLE}: {path}: holds a password and has mode {mode & 0o777:04o}; allowed: 0400"
        )
    try:
        return of_module(options)
    except AccessError as error:
        raise AccessError(f"{VARIABLE}: {path}: {error}") from None


def effective(
    config: Mapping[str, Any], environment: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """``config``, over what the file of the environment says when it has no protocol itself."""
    path = (os.environ if environment is None else environment).get(VARIABLE)
    if not path or "security_protocol" in config:
        return dict(config)
    return {**from_file(path), **config}


def spec_of(module: Any) -> dict[str, Any]:
    """A module's arguments, with ``client_config`` made of all that says how to get in.

    A copy: what stands in the module itself is printed with its result. Ends the module when the
    options cannot be taken, which no cluster can heal.
    """
    # A dry run of a fresh site finds no such file yet, and no cluster either.
    missing = module.check_mode and not os.path.exists(os.environ.get(VARIABLE) or "")
    try:
        config = of_module(module.params)
        config = config if missing else effective(config)
    except AccessError as error:
        module.fail_json(msg=str(error))
    if secret := config.get("sasl_plain_password"):
        module.no_log_values.add(secret)
    return {**module.params, "client_config": config}


def _all(names: Any) -> str:
    return ", ".join(names)


def _names(names: Any) -> str:
    return " and ".join(names)
