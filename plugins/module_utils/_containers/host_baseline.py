# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a machine is as the last whole run has left it, in one look.

A whole run ends in a note on every machine: what was declared, and what the run found there when it
had nothing left to do. A later run with the same declarations compares the machine with the note
instead of with the declarations, which costs a fraction, and whatever was changed by hand differs.

Runs on the hosts, with whatever Python they have from 3.9 on and nothing but its library.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from .._common import container_labels
from .._host import container_list, engine_api, mount_table, procfs
from .._host.tuning import tuner
from .._host.tuning.host_access import Host
from .._host.tuning.setting import Spec
from . import container_baseline

# Instead of a fingerprint: the engine starts it again and again.
ENDS = "ends"

# What a note holds of a machine, and how a sentence names a thing of each kind.
KINDS = {"containers": "container", "files": "file"}


def look(socket: str, cluster: str, kept: str) -> dict[str, Any]:
    """What was ``declared`` when the note was written, and in what the machine ``differs`` now.

    Nothing declared without a note. Each difference is a sentence without its host. ``still``: the
    kind of service by the name of each container that is as it was left, but does not run.
    """
    note = _read(kept)
    if not note:
        return {"declared": [], "differs": [], "still": {}}
    now = found(socket, cluster, kept, note.get("specs") or {})
    return {
        "declared": note["declared"],
        "differs": differences(note, now),
        "still": {
            name: kind
            for name, kind in now["stopped"].items()
            if note["containers"].get(name) == now["containers"][name]
        },
    }


def keep(
    socket: str, cluster: str, kept: str, declared: list[str], specs: Mapping[str, Any]
) -> list[str]:
    """Write down how the machine is; the names of containers that stand in the way of that."""
    now = found(socket, cluster, kept, specs)
    stopped = list(now.pop("stopped"))
    os.makedirs(os.path.dirname(kept), mode=0o700, exist_ok=True)
    if stopped:
        forget(kept)
        return stopped
    with open(os.open(f"{kept}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as stream:
        json.dump({"declared": declared, "specs": specs, **now}, stream)
    os.replace(f"{kept}.new", kept)
    return []


def forget(kept: str) -> None:
    """No note: the next run compares everything."""
    if os.path.exists(kept):
        os.unlink(kept)


def found(socket: str, cluster: str, kept: str, specs: Mapping[str, Any]) -> dict[str, Any]:
    """Containers of the cluster, what they mount, and what tuning would do, each as short text.

    ``stopped``: the kind of service by the name of each container that does not run.
    """
    root = os.path.dirname(os.path.dirname(kept))
    containers = list(_containers(socket, cluster))
    mounted = {m["Source"] for each in containers for m in each.get("Mounts") or () if _bound(m)}
    points = mount_table.by_point(procfs.read(mount_table.OWN))
    files: dict[str, str] = {}
    for path in sorted({"/etc/fstab", *mounted}):
        files.update(_described(path, root, points))
    return {
        "containers": {_name(each): _told(each) for each in containers},
        "stopped": {
            _name(each): _kind(each) for each in containers if not container_baseline.serves(each)
        },
        "files": files,
        "tuning": _steps(specs),
    }


def differences(left: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """A sentence for each thing that is not as it was left."""
    things = [
        f"{word} {name} {_verdict(left[kind].get(name), now[kind].get(name))}"
        for kind, word in KINDS.items()
        for name in sorted({*left[kind], *now[kind]})
        if left[kind].get(name) != now[kind].get(name)
    ]
    return things + [step for step in now["tuning"] if step not in left["tuning"]]


def _verdict(was: str | None, now: str | None) -> str:
    """How a thing differs from what it was."""
    if now is None:
        return "is gone"
    if now == ENDS:
        return "does not stay up"
    return "is new" if was is None else "is not as it was left"


def _containers(socket: str, cluster: str) -> Iterator[dict[str, Any]]:
    """All that the engine knows of each container of the cluster, running or not."""
    for each in container_list.members(socket, cluster):
        answer = engine_api.ask(socket, f"/containers/{each['Id']}/json")
        # Gone meanwhile.
        if isinstance(answer, dict):
            yield answer


def _told(container: Mapping[str, Any]) -> str:
    """Fingerprint of a container that runs or was stopped."""
    restarting = (container.get("State") or {}).get("Restarting")
    return ENDS if restarting else container_baseline.fingerprint(container)


def _name(container: Mapping[str, Any]) -> str:
    """Name of a container."""
    return str(container["Name"]).lstrip("/")


def _kind(container: Mapping[str, Any]) -> str:
    """The service that a container is, as its label says."""
    return container_labels.inspected(container, container_labels.SERVICE)


def _bound(mount: Mapping[str, Any]) -> bool:
    """Whether a mount of a container is a path of the machine."""
    return mount.get("Type") == "bind" and bool(mount.get("Source"))


def _described(path: str, root: str, points: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What is said of a path, and below our own folder of configuration of all that it holds.

    Of a directory of data: whose it is and on which file system, so a disk that is away shows.
    """
    try:
        status = os.stat(path)
    except OSError as error:
        yield path, str(error.strerror)
        return
    owner = f"{status.st_mode:o} {status.st_uid}:{status.st_gid}"
    if not (path.startswith(f"{root}/") or path == "/etc/fstab"):
        yield path, f"{status.st_uid}:{status.st_gid} on {mount_table.mount_of(path, points)}"
    elif os.path.isdir(path):
        yield path, owner
        for entry in sorted(os.listdir(path)):
            yield from _described(os.path.join(path, entry), root, points)
    else:
        with open(path, "rb") as stream:
            yield path, f"{owner} {hashlib.sha256(stream.read()).hexdigest()}"


def _steps(specs: Mapping[str, Any]) -> list[str]:
    """What tuning would do; a refusal that shows only when it does is among it, each time."""
    settings = [Spec(**setting) for setting in specs.get("settings") or ()]
    if not settings:
        return []
    return tuner.tune(Host(), settings, specs.get("data_paths") or [], check=True).steps


def _read(kept: str) -> dict[str, Any]:
    """The note; empty when there is none, or none that can be read."""
    try:
        with open(kept, encoding="utf-8") as stream:
            note = json.load(stream)
    except (OSError, ValueError):
        return {}
    return note if isinstance(note, dict) and "declared" in note else {}
