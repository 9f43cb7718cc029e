# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What the container engine of a machine is and can.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import Any

from . import engine_api

# Why the engine of a fresh machine does not answer.
NOT_INSTALLED = "not installed"
# Part of the reason where it takes connections and answers nothing: it hangs.
HUNG = "timed out"
# The command that starts an engine that is down; `make up` does not touch one that hangs.
START = "make up starts it"
PROGRAMS = ("/usr/bin/dockerd", "/usr/sbin/dockerd", "/usr/local/bin/dockerd")


def engine(path: str) -> dict[str, Any] | None:
    """The engine behind a socket; None when none answers, as on a fresh machine."""
    version, info = engine_api.ask(path, "/version"), engine_api.ask(path, "/info")
    if not isinstance(version, dict) or not isinstance(info, dict):
        return None
    # Modules speak to the engine by way of requests.
    library = find_spec("requests") is not None
    return {**described(version, info), "library": library, "images": images(path)}


def is_installed(programs: tuple[str, ...] = PROGRAMS) -> bool:
    """Whether this machine has a container engine, running or not."""
    return any(os.path.exists(program) for program in programs)


def silence(path: str, programs: tuple[str, ...] = PROGRAMS) -> str:
    """Why the engine behind a socket does not answer; empty where it does.

    On a machine that has no engine yet: C(not installed).
    """
    try:
        engine_api.get(path, "/_ping")
    except engine_api.NoAnswerError as error:
        if not is_installed(programs):
            return NOT_INSTALLED
        return f"{path}: {error.reason}"
    except engine_api.EngineError:
        # A refusal is an answer.
        pass
    return ""


def images(path: str) -> list[str]:
    """Names of the images that the engine behind a socket holds."""
    answer = engine_api.ask(path, "/images/json")
    return sorted(tag for image in answer or () for tag in image.get("RepoTags") or ())


def described(version: dict[str, Any], info: dict[str, Any]) -> dict[str, Any]:
    """What matters of the engine's own answers to /version and /info."""
    options = [str(option) for option in info.get("SecurityOptions") or ()]
    # Each is a list such as name=seccomp,profile=default.
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
