# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a machine is unchanged since the last complete run.

A complete run saves a baseline on every machine: the declarations, and the state of the machine
when everything was applied. A later run with the same declarations compares the machine with the
baseline instead of the declarations. That is much faster and also finds manual changes.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .._common import container_labels
from .._host import container_list, engine_api, mount_table, procfs
from .._host.tuning import tuner
from .._host.tuning.host_access import Host
from .._host.tuning.setting import Spec
from . import baseline_file, container_baseline

# Instead of a fingerprint: the engine restarts the container repeatedly.
RESTARTS = "ends"
# Changes of a container or file.
GONE, CHANGED = "is gone", "has changed"

# Keys of a baseline, and the noun for an entry of each in messages.
KINDS = {"containers": "container", "files": "file"}


def compare(socket: str, cluster: str, path: str) -> dict[str, Any]:
    """Compare a machine with its baseline in the file ``path``.

    Return the digests ``declared`` at the time (empty without a baseline) and what ``differs`` now,
    one message each, without the host. ``stopped``: containers with an unchanged configuration that
    do not run, the kind of service by container name. ``unhealthy``: names of running containers
    whose health check fails, or has not succeeded yet; no such key without a baseline.
    """
    baseline = baseline_file.read(path)
    if not baseline:
        return {"declared": {}, "differs": [], "stopped": {}}
    now = machine_state(socket, cluster, path, baseline.get("specs") or {})
    return {
        "declared": baseline["declared"],
        "differs": differences(baseline, now),
        "stopped": {
            name: kind
            for name, kind in now["stopped"].items()
            if baseline["containers"].get(name) == now["containers"][name]
        },
        "unhealthy": now["unhealthy"],
    }


def save(
    socket: str, cluster: str, path: str, declared: Mapping[str, str], specs: Mapping[str, Any]
) -> list[str]:
    """Write the baseline; or delete it and return the names of containers that do not run."""
    now = machine_state(socket, cluster, path, specs)
    stopped = list(now.pop("stopped"))
    # A state of the moment.
    del now["unhealthy"]
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    if stopped:
        baseline_file.delete(path)
        return stopped
    baseline_file.write(path, {"declared": declared, "specs": specs, **now})
    return []


def machine_state(socket: str, cluster: str, path: str, specs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the cluster's containers, their mounted files and pending tuning, as short texts.

    ``stopped``: the kind of service by the name of each container that does not run.
    ``unhealthy``: names of containers whose health check does not succeed. ``origins``: kind of
    service and mounted paths of each container.
    """
    root = os.path.dirname(os.path.dirname(path))
    inspected = list(_containers(socket, cluster))
    found = origins(inspected)
    mounted = {place for origin in found.values() for place in origin["mounts"]}
    points = mount_table.mounts_by_point(procfs.read(mount_table.OWN))
    files: dict[str, str] = {}
    for path in sorted({"/etc/fstab", *mounted}):
        files.update(file_states(path, root, points))
    return {
        "containers": {name_of(each): container_state(each) for each in inspected},
        "stopped": {
            name_of(each): _kind(each) for each in inspected if not container_baseline.is_up(each)
        },
        "unhealthy": [
            name_of(each)
            for each in inspected
            if container_baseline.is_up(each) and not container_baseline.is_healthy(each)
        ],
        "origins": found,
        "files": files,
        "tuning": _steps(specs),
    }


def differences(baseline: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return a message for each container or file that changed, and each new tuning step."""
    changed = [f"{KINDS[kind]} {name} {change}" for kind, name, change in changes(baseline, now)]
    return changed + [step for step in now["tuning"] if step not in baseline["tuning"]]


def origins(inspected: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return kind of service and mounted paths by container."""
    return {name_of(each): {"kind": _kind(each), "mounts": mounts(each)} for each in inspected}


def mounts(container: Mapping[str, Any]) -> list[str]:
    """Return the paths of the machine that a container mounts."""
    return [each["Source"] for each in container.get("Mounts") or () if _is_bind_mount(each)]


def changes(baseline: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield kind, name and change of each container or file that changed."""
    for kind in KINDS:
        for name in sorted({*baseline[kind], *now[kind]}):
            was, found = baseline[kind].get(name), now[kind].get(name)
            if was != found:
                yield kind, name, _change(was, found)


def _change(was: str | None, now: str | None) -> str:
    """Describe how an entry changed."""
    if now is None:
        return GONE
    if now == RESTARTS:
        return "does not stay up"
    return "is new" if was is None else CHANGED


def _containers(socket: str, cluster: str) -> Iterator[dict[str, Any]]:
    """Inspect each container of the cluster, running or not."""
    for each in container_list.list_cluster_containers(socket, cluster):
        answer = engine_api.get_json(socket, f"/containers/{each['Id']}/json")
        # No longer there: removed since it was listed.
        if isinstance(answer, dict):
            yield answer


def container_state(container: Mapping[str, Any]) -> str:
    """Fingerprint of a container, or RESTARTS."""
    restarting = (container.get("State") or {}).get("Restarting")
    return RESTARTS if restarting else container_baseline.fingerprint(container)


def name_of(container: Mapping[str, Any]) -> str:
    """Name of a container."""
    return str(container["Name"]).lstrip("/")


def _kind(container: Mapping[str, Any]) -> str:
    """Return the kind of service of a container, from its label."""
    return container_labels.label_from_inspection(container, container_labels.SERVICE)


def _is_bind_mount(mount: Mapping[str, Any]) -> bool:
    """Whether a mount of a container is a path of the machine."""
    return mount.get("Type") == "bind" and bool(mount.get("Source"))


def file_states(path: str, root: str, points: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """States of a path; below ``root``, the configuration directory, of its whole content too.

    For a data directory: owner and file system, which reveals a missing disk.
    """
    try:
        status = os.stat(path)
    except OSError as error:
        yield path, str(error.strerror)
        return
    owner = f"{status.st_mode:o} {status.st_uid}:{status.st_gid}"
    if not (path.startswith(f"{root}/") or path == "/etc/fstab"):
        yield path, f"{status.st_uid}:{status.st_gid} on {mount_table.mount_point_of(path, points)}"
    elif os.path.isdir(path):
        yield path, owner
        for entry in sorted(os.listdir(path)):
            yield from file_states(os.path.join(path, entry), root, points)
    else:
        with open(path, "rb") as stream:
            yield path, f"{owner} {hashlib.sha256(stream.read()).hexdigest()}"


def _steps(specs: Mapping[str, Any]) -> list[str]:
    """Steps that tuning would take, including those that fail each time they are tried."""
    settings = [Spec(**setting) for setting in specs.get("settings") or ()]
    if not settings:
        return []
    return tuner.tune(Host(), settings, specs.get("data_paths") or [], check=True).steps
