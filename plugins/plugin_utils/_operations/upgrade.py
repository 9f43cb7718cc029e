# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Versions of a cluster and the ways between them; no I/O.

A broker has two: the version of its program, which is its image's, and the version of the protocol
it speaks to other brokers, which is a setting and never newer than any program. Programs change
first and can change back; the protocol is raised last, and never taken back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

TAG = re.compile(r":v?(\d+\.\d+(?:\.\d+)*)(?:-[^:/]*)?$")
NUMBER = re.compile(r"(\d+)\.(\d+)")


class VersionError(ValueError):
    """A version cannot be read; the text says where and what was found."""


def image_version(image: str) -> str:
    """Version of Kafka that the tag of ``image`` begins with; raises VersionError."""
    found = TAG.search(image)
    if not found:
        raise VersionError(
            f"the tag of image {image!r} does not begin with a version of Kafka, such as 3.9.2"
        )
    return found.group(1)


def protocol_of(version: str) -> str:
    """Protocol of a version in two numbers: 3.9 of 3.9.2 and of 3.9-IV0; raises VersionError."""
    found = NUMBER.match(version)
    if not found:
        raise VersionError(f"{version!r} is no version; write it like 3.9 or 3.9.2")
    return found.group(0)


def order(version: str) -> tuple[int, int]:
    """Two numbers by which versions of the protocol are compared."""
    major, minor = protocol_of(version).split(".")
    return int(major), int(minor)


def oldest(versions: Iterable[str]) -> str:
    """The oldest protocol of ``versions``, empty when there is none."""
    return min((protocol_of(version) for version in versions if version), key=order, default="")


def first_protocol(others: Iterable[str], image: str) -> str:
    """Protocol of a broker that has none yet: the oldest of the others, which all understand.

    Where no broker has one, as on the first day, it is that of the image.
    """
    return oldest(others) or protocol_of(image_version(image))


def path_problems(protocol: str, target: str) -> list[str]:
    """Why a program of version ``target`` cannot serve brokers that speak ``protocol``."""
    if order(target) < order(protocol):
        return [
            f"Kafka {target} cannot speak protocol {protocol}, which the brokers were raised to: "
            f"there is no way back below {protocol}"
        ]
    if order(target)[0] != order(protocol)[0]:
        return [
            f"there is no rolling way from protocol {protocol} to Kafka {target}: "
            "only within one major version"
        ]
    return []


@dataclass(frozen=True)
class Fleet:
    """What runs: version of the program and protocol in its file, by host; ``target`` is wanted.

    Both are empty where nothing runs or no file says it.
    """

    running: Mapping[str, str]
    protocols: Mapping[str, str]
    target: str

    @property
    def resumes(self) -> bool:
        """Whether an earlier roll to the target, or to its protocol, was interrupted."""
        versions, spoken = set(self.running.values()), set(self.protocols.values())
        return (self.target in versions and len(versions - {""}) > 1) or len(spoken - {""}) > 1

    @property
    def newest_protocol(self) -> str:
        """The newest protocol of all brokers: none may be taken back from any."""
        return max(map(protocol_of, filter(None, self.protocols.values())), key=order, default="")


def by_version(running: Mapping[str, str]) -> str:
    """Versions with the hosts that run them, for a sentence."""
    hosts: dict[str, list[str]] = {}
    for host in sorted(running):
        hosts.setdefault(running[host] or "nothing", []).append(host)
    return "; ".join(f"{version} on {', '.join(hosts[version])}" for version in sorted(hosts))


def problems(fleet: Fleet, cluster: Sequence[str], finish: bool, pinned: bool = False) -> list[str]:
    """Why the step cannot be taken now; ``cluster`` holds what is wrong with its health.

    A run that resumes an interrupted one meets what that one left: the gate before each stop
    judges it. ``pinned`` says that the inventory itself sets the protocol.
    """
    versions = set(fleet.running.values()) - {""}
    found: list[str] = []
    if not fleet.resumes:
        found += [f"the cluster is not healthy: {sentence}" for sentence in cluster]
        silent = sorted(host for host, version in fleet.running.items() if not version)
        found += [f"no broker runs on {host}" for host in silent]
    if finish and versions != {fleet.target}:
        found.append(
            f"the protocol is raised when every broker runs {fleet.target}; "
            f"found {by_version(fleet.running)}"
        )
    elif len(versions - {fleet.target}) > 1:
        found.append(
            f"brokers run more than one version beside {fleet.target}: {by_version(fleet.running)}"
        )
    if finish and pinned:
        found.append("kafka_broker_properties sets the protocol itself: take that line out first")
    for protocol in filter(None, [fleet.newest_protocol or oldest(versions)]):
        found += path_problems(protocol, fleet.target)
    return found


def outlook(protocols: Iterable[str], target: str) -> str:
    """What is left to do, one message for the operator; empty when nothing is."""
    spoken, wanted = oldest(protocols), protocol_of(target)
    if not spoken or order(spoken) >= order(wanted):
        return ""
    return (
        f"Brokers run Kafka {target} and speak protocol {spoken} to each other. The way back is "
        f"open: image_versions names the version before, `make upgrade` goes there. "
        f"When you are content, `make upgrade FINISH=1` raises the protocol to {wanted}, "
        "and closes it."
    )
