# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Options of the module service_files, with types and defaults."""

from __future__ import annotations

from typing import Any

from .._host import engine_api, owned_directories

OPTIONS: dict[str, dict[str, Any]] = {
    "directories": {"type": "list", "elements": "path", "default": []},
    "disk_mounts": {"type": "list", "elements": "path", "default": []},
    "directory_mode": {"type": "str", "default": "0750"},
    "dest": {"type": "path", "required": True},
    "files": {
        "type": "list",
        "elements": "dict",
        "default": [],
        "options": {
            "name": {"type": "str", "required": True},
            "content": {"type": "str", "required": True},
            "mode": {"type": "str", "default": "0440"},
            "static": {"type": "str"},
        },
    },
    "secret_files": {
        "type": "list",
        "elements": "dict",
        "default": [],
        # Only the content of each file is secret.
        "no_log": False,
        "options": {
            "name": {"type": "str", "required": True},
            "content": {"type": "str", "required": True, "no_log": True},
            "mode": {"type": "str", "default": "0400"},
        },
    },
    "owner_of": {
        "type": "dict",
        "options": {
            "cluster": {"type": "str", "required": True},
            "service": {"type": "str", "required": True},
            "shared": {"type": "list", "elements": "path", "default": []},
        },
    },
    "container": {
        "type": "dict",
        "options": {
            "name": {"type": "str", "required": True},
            "declared": {"type": "str", "required": True},
            "baseline_file": {"type": "path", "required": True},
            "socket": {"type": "path", "default": engine_api.SOCKET},
        },
    },
    "content": {
        "type": "str",
        "default": owned_directories.KEEP,
        "choices": [owned_directories.KEEP, owned_directories.REPORT, owned_directories.CHANGE],
    },
    "shared_group": {"type": "int"},
    "keep": {"type": "list", "elements": "str", "default": []},
    "owner": {"type": "int"},
    "group": {"type": "int"},
}
