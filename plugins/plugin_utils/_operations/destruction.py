# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Selection of what ``make destroy`` deletes: only data that evidently belongs to the cluster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def destruction(cluster: str, found: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """Decide which data of each host to delete, before any container is stopped.

    ``found``: results of metal.kafka.cluster_data by host. Returns ``delete`` (paths by host),
    ``refused`` (reasons to delete nothing), ``not_deleted`` (kept paths with reasons), and
    ``lines`` for the output. A log dir without other evidence counts if a log dir with evidence has
    its cluster id.
    """
    places = [(host, place) for host in found for each in found[host] for place in each["found"]]
    containers = sorted(
        {(host, name) for host in found for each in found[host] for name in each["containers"]}
    )
    ids = {place["cluster_id"] for _, place in places if place["owners"] == [cluster]} - {""}
    refused = [
        f"{host}: {each['problem']}" for host in found for each in found[host] if each["problem"]
    ]
    delete: dict[str, list[str]] = {host: [] for host in found}
    left: list[str] = []
    for host, place in places:
        path, owners = place["path"], list(place["owners"])
        others, contained = _others(owners, cluster), _others(place["inside"], cluster)
        if not place["exists"] or path in delete[host]:
            continue
        if owners == [cluster] or (not owners and place["cluster_id"] in ids):
            if contained:
                refused.append(f"{host}: {path} has a directory of cluster {contained} in it")
            elif place["link"]:
                left.append(f"{host}: {path} is a link to {place['link']}, which has all data")
            else:
                delete[host].append(path)
        elif owners and place["shared"]:
            left.append(f"{host}: {path} is also used by cluster {others}")
        elif owners:
            refused.append(f"{host}: {path} belongs to cluster {others}")
        elif not place["empty"]:
            left.append(f"{host}: {path}: no evidence that it belongs to cluster {cluster!r}")
    if not refused and not any(delete.values()) and not containers:
        others_found = sorted({name for each in _all(found) for name in each["clusters"]})
        known = ", ".join(map(repr, others_found)) or "none"
        refused = [f"found no cluster {cluster!r} on these machines; clusters there: {known}"]
    return {
        "delete": delete,
        "refused": list(dict.fromkeys(refused)),
        "not_deleted": list(dict.fromkeys(left)),
        "lines": [
            *(f"{host}: container {name}" for host, name in containers),
            *dict.fromkeys(f"{host}: {path}" for host in found for path in delete[host]),
            *(f"stays: {each}" for each in dict.fromkeys(left)),
        ],
    }


def _others(clusters: Iterable[str], cluster: str) -> str:
    return ", ".join(repr(each or "unknown") for each in clusters if each != cluster)


def _all(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterable[Mapping[str, Any]]:
    return (each for host in found for each in found[host])
