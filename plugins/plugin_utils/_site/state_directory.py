# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Where the control node keeps what belongs to one cluster: its store of keys, answers, reports."""

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
# Whose state it is.
CLUSTER = "cluster"


@dataclass(frozen=True)
class Old:
    """Directories of earlier versions, which lay in the checkout or the installed collection."""

    secrets: Path
    answers: Path


def old(cluster: str) -> Old:
    """Where earlier versions kept the state of ``cluster``."""
    root = repository_root()
    return Old(root / ".secrets" / cluster, root / ".cache" / cluster)


def beside(sources: Sequence[str], here: Path | None = None) -> Path:
    """The directory of the inventory's first source: itself, where it is one.

    A list of hosts (``-i node1,node2``) has no directory: the current one, or ``here``, serves. In
    a directory Ansible reads no source whose name begins with a dot.
    """
    here = here or Path.cwd()
    first = str(sources[0]) if sources else ""
    if not first or "," in first:
        return here
    path = here / Path(first).expanduser()
    return path if path.is_dir() else path.parent


def directory(
    cluster: object, sources: Sequence[str], said: str = "", here: Path | None = None
) -> Path:
    """The state directory of ``cluster``; ``said`` is ``kafka_metal_state`` of the inventory.

    A relative one starts beside the first source. Raises AnsibleError for a name that is none.
    """
    if not isinstance(cluster, str) or not NAME.fullmatch(cluster):
        raise AnsibleError(
            f"cluster_name: found {cluster!r}; allowed: letters, digits, '_', '.' and '-', "
            "beginning with a letter or digit; set it for all hosts of the inventory"
        )
    found = beside(sources, here)
    wanted = Path(said).expanduser() if said else Path(FOLDER, cluster)
    return Path(os.path.abspath(found / wanted))


def store(place: Path, cluster: str) -> Path:
    """The store of keys: at its old place as long as it has not been moved from there."""
    left = old(cluster).secrets / STORE
    return left if left.exists() and not (place / STORE).exists() else place / STORE
