# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Facts of a machine's container engine.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import Any

from . import engine_api

# Reason on a machine without an engine.
NOT_INSTALLED = "not installed"
# Part of the reason if the engine accepts connections but does not respond.
HUNG = "timed out"
# Remedy for a stopped engine; `make up` does not restart a hung one.
START = "make up starts it"
PROGRAMS = ("/usr/bin/dockerd", "/usr/sbin/dockerd", "/usr/local/bin/dockerd")


def engine(path: str) -> dict[str, Any] | None:
    """Return facts of the engine at a socket; None if it does not respond."""
    version, info = engine_api.get_json(path, "/version"), engine_api.get_json(path, "/info")
    if not isinstance(version, dict) or not isinstance(info, dict):
        return None
    # Ansible's Docker modules need the Python library requests.
    library = find_spec("requests") is not None
    return {**select_facts(version, info), "library": library, "images": images(path)}


def is_installed(programs: tuple[str, ...] = PROGRAMS) -> bool:
    """Whether a container engine is installed, running or not."""
    return any(os.path.exists(program) for program in programs)


def no_response_reason(path: str, programs: tuple[str, ...] = PROGRAMS) -> str:
    """Return why the engine at a socket does not respond; empty if it does.

    C(not installed) on a machine without an engine.
    """
    try:
        engine_api.get(path, "/_ping")
    except engine_api.NoResponseError as error:
        if not is_installed(programs):
            return NOT_INSTALLED
        return f"{path}: {error.reason}"
    except engine_api.EngineError:
        # An error response is a response.
        pass
    return ""


def images(path: str) -> list[str]:
    """Return the names of the engine's images."""
    found = engine_api.get_json(path, "/images/json")
    return sorted(tag for image in found or () for tag in image.get("RepoTags") or ())


def select_facts(version: dict[str, Any], info: dict[str, Any]) -> dict[str, Any]:
    """Select facts from the engine's responses to /version and /info."""
    options = [str(option) for option in info.get("SecurityOptions") or ()]
    # Options look like name=seccomp,profile=default.
    protections = sorted(o.split(",")[0].partition("=")[2] or o for o in options)
    return {
        "version": str(version.get("Version", "")),
        "api": str(version.get("ApiVersion", "")),
        "driver": str(info.get("Driver", "")),
        "root": str(info.get("DockerRootDir", "")),
        "live_restore": bool(info.get("LiveRestoreEnabled")),
        "memory_limit": bool(info.get("MemoryLimit", True)),
        "protections": protections,
    }
