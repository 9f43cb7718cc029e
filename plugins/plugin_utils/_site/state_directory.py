# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""State directory of a cluster on the control node: store of keys, results, reports."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ansible.errors import AnsibleError

from .._declarations.service_data import NAME
from .._images.images import repository_root

FOLDER = ".kafka-metal"
STORE = "store.vault"
# File with the name of the cluster.
CLUSTER = "cluster"


@dataclass(frozen=True)
class EarlierDirectories:
    """Directories of earlier versions, in the checkout or the installed collection."""

    secrets: Path
    cache: Path


def is_prepared(place: Path) -> bool:
    """Whether a run has prepared the directory: a refused one is left as it is."""
    # Path.is_file raises an error if the directory belongs to another user.
    return os.path.isfile(place / CLUSTER)


def earlier_directories(cluster: str) -> EarlierDirectories:
    """Directories in which earlier versions kept the state of ``cluster``."""
    root = repository_root()
    return EarlierDirectories(root / ".secrets" / cluster, root / ".cache" / cluster)


def inventory_directory(sources: Sequence[str], here: Path | None = None) -> Path:
    """The directory of the inventory's first source, which may be a directory itself.

    For a list of hosts (``-i node1,node2``) it is the current directory, or ``here``. Ansible
    ignores files in it whose names start with a dot.
    """
    here = here or Path.cwd()
    first = str(sources[0]) if sources else ""
    if not first or "," in first:
        return here
    path = here / Path(first).expanduser()
    return path if path.is_dir() else path.parent


def directory(
    cluster: object, sources: Sequence[str], declared: str = "", here: Path | None = None
) -> Path:
    """The state directory of ``cluster``; ``declared`` is ``kafka_metal_state`` of the inventory.

    A relative path starts in the inventory's directory. Raises AnsibleError for an invalid name.
    """
    if not isinstance(cluster, str) or not NAME.fullmatch(cluster):
        raise AnsibleError(
            f"cluster_name: found {cluster!r}; allowed: letters, digits, '_', '.' and '-', "
            "starting with a letter or digit; set it for all hosts of the inventory"
        )
    base = inventory_directory(sources, here)
    path = Path(declared).expanduser() if declared else Path(FOLDER, cluster)
    return Path(os.path.abspath(base / path))


def store(place: Path, cluster: str) -> Path:
    """Path of the store of keys: the old path until the store has been moved."""
    before = earlier_directories(cluster).secrets / STORE
    return before if before.exists() and not (place / STORE).exists() else place / STORE
