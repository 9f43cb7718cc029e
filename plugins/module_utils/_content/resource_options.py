# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Argument specs of the modules for content."""

from __future__ import annotations

from typing import Any

from . import acls

# A module's options by name, in the form of Ansible's argument_spec.
Options = dict[str, dict[str, Any]]
ACL: Options = {
    "principal": {"type": "str", "required": True},
    "resource_type": {"type": "str", "required": True, "choices": list(acls.OPERATIONS)},
    "resource": {"type": "str", "required": True},
    "operation": {"type": "str", "required": True},
    "pattern": {"type": "str", "choices": ["literal", "prefixed"], "default": "literal"},
    "permission": {"type": "str", "choices": ["allow", "deny"], "default": "allow"},
    "host": {"type": "str", "default": "*"},
}
ENTITY: Options = {name: {"type": "str"} for name in ("user", "client", "ip")}
QUOTA: Options = {**ENTITY, "values": {"type": "dict", "required": True}}
# Without ``no_log`` Ansible takes "keys" for secrets; here they are names of settings.
ABSENT_QUOTA: Options = {
    **ENTITY,
    "keys": {"type": "list", "elements": "str", "default": [], "no_log": False},
}
NAMES: dict[str, Any] = {"type": "list", "elements": "str", "default": []}
# Options for password checks; cluster_content has them at its top level too.
LOGIN: Options = {
    "passwords": {"type": "dict", "default": {}, "no_log": True},
    "verify_bootstrap": NAMES,
    "verify_protocol": {
        "type": "str",
        "choices": ["SASL_SSL", "SASL_PLAINTEXT"],
        "default": "SASL_SSL",
    },
}
MOVES: Options = {
    "moves": {"type": "str", "choices": ["refuse", "report"], "default": "refuse"},
}
REFUSED_STEPS: Options = {
    "refused_steps": {"type": "str", "choices": ["fail", "report"], "default": "fail"},
}
TIMEOUT: Options = {"timeout": {"type": "float", "default": 60}}
# The applied state of earlier runs; its structure depends on the kind.
APPLIED: Options = {"applied": {"type": "raw"}}
REMOVAL: Options = {
    "removal": {
        "type": "dict",
        "default": {},
        "options": {
            "limited": {"type": "bool", "default": False},
            "missing": NAMES,
            "confirmed": NAMES,
        },
    }
}
UNMANAGED: Options = {"unmanaged": {"type": "bool", "default": True}}
