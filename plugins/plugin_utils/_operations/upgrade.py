# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Versions of a cluster and allowed upgrades between them; no I/O.

A broker has a software version, that of its image, and an inter-broker protocol version, which is a
setting. The protocol is never newer than any broker's software. An upgrade changes the software
first, which can be undone, and raises the protocol last, which cannot.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

TAG = re.compile(r":v?(\d+\.\d+(?:\.\d+)*)(?:-[^:/]*)?$")
NUMBER = re.compile(r"(\d+)\.(\d+)")


class VersionError(ValueError):
    """A version is invalid; the message has the place and the value."""


def image_version(image: str) -> str:
    """Return the version of Kafka in the tag of ``image``; raises VersionError."""
    found = TAG.search(image)
    if not found:
        raise VersionError(
            f"the tag of image {image!r} does not start with a version of Kafka, such as 3.9.2"
        )
    return found.group(1)


def version_protocol(version: str) -> str:
    """Return the protocol of a version: 3.9 for 3.9.2 and for 3.9-IV0; raises VersionError."""
    found = NUMBER.match(version)
    if not found:
        raise VersionError(f"{version!r} is not a version; write it like 3.9 or 3.9.2")
    return found.group(0)


def protocol_sort_key(version: str) -> tuple[int, int]:
    """Sort key of a protocol version."""
    major, minor = version_protocol(version).split(".")
    return int(major), int(minor)


def oldest_protocol(versions: Iterable[str]) -> str:
    """Return the oldest protocol of ``versions``; empty if there is none."""
    return min(
        (version_protocol(version) for version in versions if version),
        key=protocol_sort_key,
        default="",
    )


def first_protocol(others: Iterable[str], image: str) -> str:
    """Protocol of a new broker: the oldest protocol of the others, which all support.

    In a new cluster it is the protocol of the image.
    """
    return oldest_protocol(others) or version_protocol(image_version(image))


def path_problems(protocol: str, target: str) -> list[str]:
    """Return the reasons why Kafka ``target`` cannot run with protocol ``protocol``."""
    if protocol_sort_key(target) < protocol_sort_key(protocol):
        return [
            f"Kafka {target} does not support protocol {protocol}, which the brokers use: "
            f"a downgrade below {protocol} is not possible"
        ]
    if protocol_sort_key(target)[0] != protocol_sort_key(protocol)[0]:
        return [
            f"a rolling upgrade from protocol {protocol} to Kafka {target} is not possible: "
            "only within one major version"
        ]
    return []


@dataclass(frozen=True)
class Fleet:
    """Software version and configured protocol of each broker by host, and the target version.

    A version is empty if no broker runs, a protocol if the configuration does not set it.
    """

    running: Mapping[str, str]
    protocols: Mapping[str, str]
    target: str

    @property
    def resumes(self) -> bool:
        """Whether an earlier roll to the target, or to its protocol, was interrupted."""
        versions, protocols = set(self.running.values()), set(self.protocols.values())
        return (self.target in versions and len(versions - {""}) > 1) or len(protocols - {""}) > 1

    @property
    def newest_protocol(self) -> str:
        """The newest protocol of all brokers; it cannot be lowered."""
        return max(
            map(version_protocol, filter(None, self.protocols.values())),
            key=protocol_sort_key,
            default="",
        )


def format_versions(running: Mapping[str, str]) -> str:
    """Text of the versions with their hosts, for a message."""
    hosts: dict[str, list[str]] = {}
    for host in sorted(running):
        hosts.setdefault(running[host] or "nothing", []).append(host)
    return "; ".join(f"{version} on {', '.join(hosts[version])}" for version in sorted(hosts))


def problems(fleet: Fleet, cluster: Sequence[str], finish: bool, pinned: bool = False) -> list[str]:
    """Return the reasons against the step now; ``cluster`` has the problems of its health.

    A resumed run starts with an unhealthy cluster: the gate before each stop checks it instead.
    ``pinned``: the inventory sets the protocol.
    """
    versions = set(fleet.running.values()) - {""}
    found: list[str] = []
    if not fleet.resumes:
        found += [f"the cluster is not healthy: {problem}" for problem in cluster]
        stopped = sorted(host for host, version in fleet.running.items() if not version)
        found += [f"no broker runs on {host}" for host in stopped]
    if finish and versions != {fleet.target}:
        found.append(
            f"the protocol can be raised once every broker runs {fleet.target}; "
            f"found {format_versions(fleet.running)}"
        )
    elif len(versions - {fleet.target}) > 1:
        found.append(
            f"brokers run several versions other than {fleet.target}: "
            f"{format_versions(fleet.running)}"
        )
    if finish and pinned:
        found.append("kafka_broker_properties sets the protocol: remove that line first")
    for protocol in filter(None, [fleet.newest_protocol or oldest_protocol(versions)]):
        found += path_problems(protocol, fleet.target)
    return found


def remaining_steps(protocols: Iterable[str], target: str) -> str:
    """Return the remaining steps as one message for the operator; empty if none remain."""
    current, wanted = oldest_protocol(protocols), version_protocol(target)
    if not current or protocol_sort_key(current) >= protocol_sort_key(wanted):
        return ""
    return (
        f"Brokers run Kafka {target} with inter-broker protocol {current}. You can still go back: "
        f"set the previous version in image_versions and run `make upgrade`. "
        f"To finish, run `make upgrade FINISH=1`: it raises the protocol to {wanted}; "
        "after that you cannot go back."
    )
