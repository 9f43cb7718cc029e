# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Inspect directories below mounts in a child process with its own mount namespace.

The child's mounts end with it in any case, and are never visible to other processes.
"""

from __future__ import annotations

import ctypes
import json
import os
import tempfile
from collections.abc import Callable
from typing import Any

_CLONE_NEWNS = 0x20000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND = 1, 2, 4, 8, 4096
_MS_REC, _MS_PRIVATE = 16384, 1 << 18


def _call(name: str, *arguments: Any) -> None:
    """Call a function of the C library. Raises OSError if its result is not 0."""
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")


def mount(source: str, point: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Mount ``source`` at ``point``, see mount(2). Raises OSError."""
    _call(
        "mount",
        os.fsencode(source),
        os.fsencode(point),
        kind.encode() or None,
        ctypes.c_ulong(flags),
        options.encode() or None,
    )


def unmount(point: str) -> None:
    """Unmount ``point``, which flushes its data to the disk. Raises OSError."""
    _call("umount2", os.fsencode(point), 0)


def run_in_mount_namespace(work: Callable[[str], Any]) -> Any:
    """Return the JSON result of ``work``, run with an empty directory in a private namespace.

    Raises OSError when ``work`` fails.
    """
    place = tempfile.mkdtemp(prefix="kafka-metal-", dir="/run")
    try:
        return _in_child(work, place)
    finally:
        os.rmdir(place)


def _in_child(work: Callable[[str], Any], place: str) -> Any:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        # The child must never return into the caller's code.
        try:
            os.close(reader)
            _call("unshare", _CLONE_NEWNS)
            mount("none", "/", flags=_MS_REC | _MS_PRIVATE)
            result: dict[str, Any] = {"result": work(place)}
        except OSError as error:
            result = {"errno": error.errno or 0, "error": error.strerror or str(error)}
        except BaseException as error:
            result = {"errno": 0, "error": repr(error)}
        with os.fdopen(writer, "w") as stream:
            json.dump(result, stream)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        text = stream.read()
    os.waitpid(child, 0)
    reply = json.loads(text) if text else {"errno": 0, "error": "the child died"}
    if "error" in reply:
        raise OSError(reply["errno"], reply["error"])
    return reply["result"]
