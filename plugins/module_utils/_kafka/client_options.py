# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Convert connection options of modules to settings of kafka-python."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# Environment variable with the path of a JSON file of the options below, for all modules of a
# play. The file may contain a password, so only its owner may read it.
VARIABLE = "KAFKA_METAL_CLIENT"
REMEDY = "make up writes the file of a broker"
PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS = ("SCRAM-SHA-512", "SCRAM-SHA-256", "PLAIN")
OTHERS = 0o077

# Settings of kafka-python by option.
SETTINGS = {
    "security_protocol": "security_protocol",
    "ca_file": "ssl_cafile",
    "cert_file": "ssl_certfile",
    "key_file": "ssl_keyfile",
    "username": "sasl_plain_username",
    "password": "sasl_plain_password",
    "mechanism": "sasl_mechanism",
}

# Arguments of every module that connects to Kafka, documented in the fragment ``client``.
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


class ClientOptionsError(ValueError):
    """Options that contradict each other, or a file that cannot be used."""


def settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of kafka-python for the options that have a value.

    Raises ClientOptionsError if the options contradict each other.
    """
    provided = {key: options[key] for key in SETTINGS if options.get(key)}
    found = {SETTINGS[key]: value for key, value in provided.items()}
    protocol = provided.get("security_protocol")
    if not provided:
        return {}
    if protocol is None:
        allowed = _all(PROTOCOLS)
        raise ClientOptionsError(
            f"{_names(provided)}: security_protocol is required; allowed: {allowed}"
        )
    if protocol not in PROTOCOLS:
        raise ClientOptionsError(
            f"security_protocol: found {protocol!r}; allowed: {_all(PROTOCOLS)}"
        )
    sasl, tls = protocol.startswith("SASL_"), protocol.endswith("SSL")
    login, files = ("username", "password", "mechanism"), ("ca_file", "cert_file", "key_file")
    useless = (() if sasl else login) + (() if tls else files)
    unused = [key for key in useless if key in provided]
    if unused:
        raise ClientOptionsError(f"{_names(unused)}: not used with security_protocol {protocol}")
    if "key_file" in provided and "cert_file" not in provided:
        raise ClientOptionsError("key_file: cert_file is required")
    if sasl:
        missing = [key for key in ("username", "password") if key not in provided]
        if missing:
            raise ClientOptionsError(f"security_protocol {protocol}: required: {_names(missing)}")
        found.setdefault("sasl_mechanism", MECHANISMS[0])
    return found


def module_settings(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a module's arguments; ``client_config`` overrides options."""
    return {**settings(params), **(params.get("client_config") or {})}


def read_settings_file(path: str) -> dict[str, Any]:
    """Return the settings of a JSON file of options; raises ClientOptionsError.

    A file that contains a password must be readable by its owner only.
    """
    try:
        mode = Path(path).stat().st_mode
        options = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ClientOptionsError(f"{VARIABLE}: {path}: {error.strerror}; {REMEDY}") from None
    except ValueError:
        # Without the reason, which would quote the file.
        fault = "is not JSON" if Path(path).stat().st_size else "is empty"
        raise ClientOptionsError(f"{VARIABLE}: {path}: {fault}; {REMEDY}") from None
    if not isinstance(options, dict):
        raise ClientOptionsError(f"{VARIABLE}: {path}: is not a mapping of options; {REMEDY}")
    if not options:
        raise ClientOptionsError(f"{VARIABLE}: {path}: has no options; {REMEDY}")
    unknown = sorted(set(options) - set(SETTINGS) - {"client_config"})
    if unknown:
        raise ClientOptionsError(
            f"{VARIABLE}: {path}: found {unknown[0]!r}; allowed: {_all(SETTINGS)}, client_config"
        )
    if options.get("password") and mode & OTHERS:
        raise ClientOptionsError(
            f"{VARIABLE}: {path}: contains a password and has mode {mode & 0o777:04o}; "
            "allowed: 0400"
        )
    try:
        return module_settings(options)
    except ClientOptionsError as error:
        raise ClientOptionsError(f"{VARIABLE}: {path}: {error}") from None


def effective_config(
    config: Mapping[str, Any], environment: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return ``config``; without a protocol, merged over the file named in the environment."""
    path = (os.environ if environment is None else environment).get(VARIABLE)
    if not path or "security_protocol" in config:
        return dict(config)
    return {**read_settings_file(path), **config}


def full_argument_spec(module: Any) -> dict[str, Any]:
    """Return a copy of the module's arguments with the complete ``client_config``.

    A copy, because Ansible prints the module's own arguments with its result. Ends the module if
    the options are invalid.
    """
    # In check mode on a new site the file does not exist yet.
    missing = module.check_mode and not os.path.exists(os.environ.get(VARIABLE) or "")
    try:
        config = module_settings(module.params)
        config = config if missing else effective_config(config)
    except ClientOptionsError as error:
        module.fail_json(msg=str(error))
    if secret := config.get("sasl_plain_password"):
        module.no_log_values.add(secret)
    return {**module.params, "client_config": config}


def _all(names: Any) -> str:
    return ", ".join(names)


def _names(names: Any) -> str:
    return " and ".join(names)
