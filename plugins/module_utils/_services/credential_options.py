# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The options of the module ``credentials``, for its action plugin and its documentation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._common.suggestions import list_allowed

PASSWORD_FILE = "~/.config/kafka-metal/vault-password"

CA: dict[str, dict[str, Any]] = {
    "common_name": {"type": "str"},
    "days": {"type": "int", "default": 3650},
    "certificate_file": {"type": "path"},
    "key_file": {"type": "path"},
    "directory": {"type": "path"},
    "trusted_file": {"type": "path"},
}

CERTIFICATE: dict[str, dict[str, Any]] = {
    "name": {"type": "str", "required": True},
    "common_name": {"type": "str"},
    "dns": {"type": "list", "elements": "str", "default": []},
    "ips": {"type": "list", "elements": "str", "default": []},
    "usages": {
        "type": "list",
        "elements": "str",
        "choices": ["server", "client"],
        "default": ["server", "client"],
    },
    "days": {"type": "int", "default": 397},
    # Issuer: the platform's CA, or the CA of the metadata quorum.
    "authority": {"type": "str", "choices": ["platform", "quorum"], "default": "platform"},
}

MACHINE: dict[str, dict[str, Any]] = {
    "name": {"type": "str", "default": ""},
    "reached": {"type": "bool", "default": True},
    "running": {"type": "list", "elements": "str", "default": []},
    "configured": {"type": "list", "elements": "str", "default": []},
    "roots": {"type": "list", "elements": "str", "default": []},
    "data": {"type": "list", "elements": "path", "default": []},
    "unreadable": {"type": "list", "elements": "str", "default": []},
}

OPTIONS: dict[str, Any] = {
    "store": {"type": "path", "required": True},
    "password_file": {"type": "path", "default": PASSWORD_FILE},
    "cluster": {"type": "str", "required": True},
    "ca": {"type": "dict", "options": CA, "default": {}},
    "certificates": {"type": "list", "elements": "dict", "options": CERTIFICATE, "default": []},
    "passwords": {"type": "list", "elements": "str", "default": []},
    "provided_passwords": {"type": "dict", "default": {}, "no_log": True},
    "renew_before_days": {"type": "int", "default": 30},
    "rotate": {
        "type": "str",
        "choices": ["none", "certificates", "ca", "passwords", "quorum"],
        "default": "none",
    },
    "names": {"type": "list", "elements": "str", "default": []},
    "phase": {"type": "str", "choices": ["trust", "issue", "drop", "replace"]},
    "quorum_ca": {"type": "str", "choices": ["own", "platform"], "default": "own"},
    "purge": {"type": "bool", "default": False},
    "purge_passwords": {"type": "bool", "default": False},
    "machines": {"type": "list", "elements": "dict", "options": MACHINE, "default": []},
    "replace_keys_of": {"type": "str", "default": ""},
}


def unknown_options(arguments: Mapping[str, Any]) -> list[str]:
    """Return errors for unknown keys and usages, each with its place and the allowed values."""
    found = _unknown("", arguments, OPTIONS)
    ca, certificates = arguments.get("ca"), arguments.get("certificates")
    if isinstance(ca, Mapping):
        found += _unknown("ca: ", ca, CA)
    for number, each in enumerate(certificates if isinstance(certificates, list) else []):
        if isinstance(each, Mapping):
            name = each.get("name", f"number {number + 1}")
            found += _unknown(f"certificates: {name}: ", each, CERTIFICATE)
            # Ansible's own error would name the usage, but not the certificate.
            usages = each.get("usages")
            found += [
                f"certificates: {name}: usages: found {usage!r}; allowed: server, client or both"
                for usage in (usages if isinstance(usages, list) else [])
                if usage not in CERTIFICATE["usages"]["choices"]
            ]
    return found


def _unknown(where: str, given: Mapping[str, Any], known: Mapping[str, Any]) -> list[str]:
    return [
        f"{where}found the key {key!r}; allowed: {list_allowed(str(key), known)}"
        for key in given
        if key not in known
    ]
