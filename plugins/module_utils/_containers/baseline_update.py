# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Update of a machine's baseline by a run that applied only a part of the site.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from . import baseline_file, host_baseline


def update(
    socket: str,
    cluster: str,
    path: str,
    declared: Mapping[str, str],
    kinds: Collection[str],
    others: Mapping[str, str] = {},
    *,
    dry: bool = False,
) -> dict[str, str]:
    """Replace digests of a baseline, and the state of the containers of some ``kinds``.

    Everything else stays as it was when the last complete run ended. No digest is replaced if the
    baseline has another one than this run for one of the ``others``. Without a baseline, and with
    ``dry``, nothing is written. Return the digests before.
    """
    baseline = baseline_file.read(path)
    if kinds and not dry and baseline_file.has_digests(baseline):
        _replace(baseline, host_baseline.machine_state(socket, cluster, path, {}), kinds)
        baseline_file.write(path, baseline)
    # Last: until then the next run compares these parts.
    return baseline_file.replace_digests(path, declared, others, dry=dry)


def _replace(baseline: dict[str, Any], now: Mapping[str, Any], kinds: Collection[str]) -> None:
    """Replace the containers of some ``kinds`` and the files that only they mount."""
    every = [*baseline["origins"].items(), *now["origins"].items()]
    names = {name for name, origin in every if origin["kind"] in kinds}
    own = {place for name, origin in every if name in names for place in origin["mounts"]}
    others = {place for name, origin in every if name not in names for place in origin["mounts"]}

    def is_replaced(path: str) -> bool:
        return _is_below(path, own) and not _is_below(path, others)

    chosen: dict[str, Callable[[str], bool]] = {
        "containers": names.__contains__,
        "origins": names.__contains__,
        "files": is_replaced,
    }
    for key, replaced in chosen.items():
        baseline[key] = {k: v for k, v in baseline[key].items() if not replaced(k)} | {
            k: v for k, v in now[key].items() if replaced(k)
        }


def _is_below(path: str, places: Iterable[str]) -> bool:
    """Whether a path is one of ``places``, or in one."""
    return any(path == place or path.startswith(f"{place}/") for place in places)
