# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""State of a cluster on a machine's disks: trusted CAs and data.

The identity must not depend on the container engine: it is the same after a boot or while the
engine is down. Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import re
from typing import Any

from . import container_list, procfs

# File with trusted CAs in the configuration directory of every service that uses TLS.
TRUSTED = "ca.pem"
# Files that brokers and metadata servers have in each data directory.
MARKERS = ("meta.properties", "myid", "version-2")
# States of a container without a process.
ENDED = ("created", "exited", "dead")

# Container names of brokers and metadata servers, after the cluster's name. Excludes clusters
# whose names begin with that of this one.
_MEMBER = re.compile(r"(kafka|zk)\d+")
_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----(.*?)-----END CERTIFICATE-----", re.DOTALL)


class Reader:
    """Reads files and directories; collects errors of existing ones in ``unreadable``."""

    def __init__(self) -> None:
        """Start without errors."""
        self.unreadable: list[str] = []

    def text(self, path: str) -> str | None:
        """Return the text of a file; None if it is missing or cannot be read."""
        try:
            return procfs.read(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            self.unreadable.append(f"{path}: {error.strerror}")
            return None

    def names(self, path: str) -> list[str]:
        """Return the sorted names in a directory; none if it is missing or cannot be read."""
        try:
            return sorted(os.listdir(path))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            self.unreadable.append(f"{path}: {error.strerror}")
            return []


def inspect(socket: str, cluster: str, baseline: str, paths: list[str]) -> dict[str, list[str]]:
    """Return the state of ``cluster`` on this machine.

    ``running``: its running containers; ``configured``: its services with a configuration
    directory; ``roots``: SHA-256 fingerprints of their trusted CAs in openssl's format; ``data``:
    those of ``paths`` with data of Kafka or its metadata service; ``unreadable``: files that could
    not be read, each with the reason.

    ``baseline`` is the baseline of the last complete run, two levels below the configuration root.
    """
    reader = Reader()
    root = os.path.dirname(os.path.dirname(baseline))
    listed = container_list.list_cluster_containers(socket, cluster)
    states = {each["Names"][0].lstrip("/"): each.get("State") for each in listed if each["Names"]}
    folders = set(reader.names(root))
    names = {*states, *_baseline_names(reader.text(baseline))} | {
        name
        for name in folders
        if name.startswith(f"{cluster}-") and _MEMBER.fullmatch(name[len(cluster) + 1 :])
    }
    trusted = {
        fingerprint
        for name in sorted(names)
        for fingerprint in _fingerprints(reader, os.path.join(root, name, TRUSTED))
    }
    return {
        "running": sorted(name for name, state in states.items() if state not in ENDED),
        "configured": sorted(names & folders),
        "roots": sorted(trusted),
        "data": [path for path in paths if {*MARKERS} & {*reader.names(path)}],
        "unreadable": reader.unreadable,
    }


def _baseline_names(text: str | None) -> list[str]:
    """Return container names from a baseline; none if it is damaged: directories suffice."""
    try:
        baseline: Any = json.loads(text or "")
        return [str(name) for name in baseline["containers"]]
    except (ValueError, KeyError, TypeError):
        return []


def _fingerprints(reader: Reader, path: str) -> list[str]:
    """Return fingerprints of the certificates in a file; none for a service without TLS."""
    text = reader.text(path)
    if text is None:
        return []
    try:
        digests = [
            hashlib.sha256(base64.b64decode(body)).hexdigest().upper()
            for body in _CERTIFICATE.findall(text)
        ]
    except binascii.Error:
        digests = []
    if not digests:
        reader.unreadable.append(f"{path}: no certificate in it")
    return [":".join(re.findall("..", digest)) for digest in digests]
