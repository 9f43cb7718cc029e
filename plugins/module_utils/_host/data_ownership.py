# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Cluster that owns a data directory.

A marker file in the directory lists clusters and their services that write there. Services ignore
it, because its name begins with a dot. Directories of clusters created by an earlier version have
no marker: their owner is found by the engine's containers, with their labels and mounts, and by
the cluster id in ``meta.properties``.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._common import container_labels
from . import untrusted_files

MARKER = ".kafka-metal.json"


def read_owners(directory: str) -> dict[str, list[str]]:
    """Return services by cluster from the marker; none without a readable marker."""
    try:
        found = json.loads(untrusted_files.read_content(os.path.join(directory, MARKER)))[
            "clusters"
        ]
        return {str(cluster): [str(each) for each in found[cluster]] for cluster in found}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}


def is_marked(directory: str, cluster: str, service: str = "") -> bool:
    """Whether the marker has the cluster and, if set, its service."""
    found = read_owners(directory)
    return cluster in found and (not service or service in found[cluster])


def mark(directory: str, cluster: str, service: str = "") -> None:
    """Add a cluster or a service to the marker, atomically and synced to the disk.

    Markers of shared directories have no services, so concurrent writes are identical.
    """
    found = read_owners(directory)
    found[cluster] = sorted({*found.get(cluster, ()), *([service] if service else [])})
    _write(directory, found)


def release(directory: str, cluster: str) -> bool:
    """Remove a cluster from the marker of a shared directory; return whether it was in it."""
    found = read_owners(directory)
    if cluster not in found:
        return False
    del found[cluster]
    if found:
        _write(directory, found)
    else:
        os.unlink(os.path.join(directory, MARKER))
    return True


def _write(directory: str, found: Mapping[str, Sequence[str]]) -> None:
    path = os.path.join(directory, MARKER)
    # Services may write here: use an unpredictable name, where no link can be planted.
    handle, temporary = tempfile.mkstemp(prefix=f"{MARKER}.", dir=directory)
    try:
        with open(handle, "w", encoding="utf-8") as stream:
            stream.write(json.dumps({"clusters": found}, sort_keys=True) + "\n")
            stream.flush()
            os.fchmod(stream.fileno(), 0o644)
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    except OSError:
        # On a full disk the temporary file may exist and be empty.
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def used_directories(containers: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return cluster and directory for each mount and log dir of containers, running or not.

    ``containers``: the engine's list. Containers without the label have the cluster "".
    """
    return [
        (container_labels.label_from_list(each, container_labels.CLUSTER), path)
        for each in containers
        for path in (*_sources(each), *_log_dirs(each))
    ]


def clusters_marked_below(directory: str) -> set[str]:
    """Return clusters with a marker in a directory below this one."""
    return {
        cluster
        for folder, _, files in os.walk(directory)
        if MARKER in files and folder != directory
        for cluster in read_owners(folder)
    }


def _sources(container: Mapping[str, Any]) -> list[str]:
    mounts = container.get("Mounts") or ()
    return [str(mount["Source"]).rstrip("/") for mount in mounts if mount.get("Source")]


def _log_dirs(container: Mapping[str, Any]) -> list[str]:
    """Return log dirs from a broker's configuration: its mounts may be whole disks."""
    for source in _sources(container):
        found = _property(os.path.join(source, "server.properties"), "log.dirs")
        if found:
            return [path.rstrip("/") for path in found.split(",")]
    return []


def cluster_id(directory: str) -> str:
    """Return Kafka's cluster id of a log dir; empty without one."""
    return _property(os.path.join(directory, "meta.properties"), "cluster.id")


def _property(path: str, key: str) -> str:
    try:
        text = untrusted_files.read_content(path).decode("latin-1")
    except OSError:
        return ""
    lines = [line.strip().partition("=") for line in text.split("\n")]
    return next((value.strip() for name, _, value in lines if name.strip() == key), "")


def inspect(
    directory: str, containers: Iterable[Mapping[str, Any]], below: str = ""
) -> dict[str, Any]:
    """Return facts on the owner of ``directory``; ``below``: the marked directory in it."""
    place = (below or directory).rstrip("/")
    found = used_directories(containers)
    mounted = {cluster for cluster, path in found if path == place}
    inside = {cluster for cluster, path in found if path.startswith(f"{place}/")}
    return {
        "path": directory,
        "exists": os.path.lexists(directory),
        "link": os.path.realpath(directory) if os.path.islink(directory) else "",
        # A shared directory may be on another machine and have millions of files: do not walk it.
        "inside": [] if below else sorted(inside | clusters_marked_below(place)),
        "empty": os.path.isdir(directory) and not set(os.listdir(directory)) - {MARKER},
        "owners": sorted({*read_owners(place), *mounted}),
        "cluster_id": cluster_id(directory),
        "shared": bool(below),
    }
