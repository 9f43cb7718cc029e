# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Looking below and behind mounts without a trace: in a child that has mounts of its own.

The child's mounts end with it, whatever happens, and no other process ever sees them.
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
    """A function of the C library that says by its result whether it went well."""
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")


def mount(source: str, point: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """mount(2). Raises OSError."""
    _call(
        "mount",
        os.fsencode(source),
        os.fsencode(point),
        kind.encode() or None,
        ctypes.c_ulong(flags),
        options.encode() or None,
    )


def unmount(point: str) -> None:
    """Ends a mount; what was written is on the disk afterwards. Raises OSError."""
    _call("umount2", os.fsencode(point), 0)


def privately(work: Callable[[str], Any]) -> Any:
    """What ``work`` returns (JSON) in a child with mounts of its own, given an empty directory.

    Raises OSError when it fails.
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
        # Never back into the caller's code: there are two of us now.
        try:
            os.close(reader)
            _call("unshare", _CLONE_NEWNS)
            mount("none", "/", flags=_MS_REC | _MS_PRIVATE)
            answer: dict[str, Any] = {"result": work(place)}
        except OSError as error:
            answer = {"errno": error.errno or 0, "error": error.strerror or str(error)}
        except BaseException as error:
            answer = {"errno": 0, "error": repr(error)}
        with os.fdopen(writer, "w") as stream:
            json.dump(answer, stream)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        text = stream.read()
    os.waitpid(child, 0)
    told = json.loads(text) if text else {"errno": 0, "error": "the child died"}
    if "error" in told:
        raise OSError(told["errno"], told["error"])
    return told["result"]
