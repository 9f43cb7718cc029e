# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What a machine has of a cluster on its disks: the CAs that it trusts, and data.

The container engine is asked for nothing that only it could tell: a machine that has just booted,
or whose engine is dead, has the same identity. Runs on the hosts, with whatever Python they have
from 3.9 on and nothing but its library.
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

# What every service that speaks TLS has in its folder of configuration.
TRUSTED = "ca.pem"
# What brokers and servers of the metadata keep in each of their data directories.
MARKERS = ("meta.properties", "myid", "version-2")
# States of a container that no process is behind.
ENDED = ("created", "exited", "dead")

# Names of brokers and of servers of the metadata, after that of the cluster. Another cluster whose
# name begins with this one's has no such folder.
_MEMBER = re.compile(r"(kafka|zk)\d+")
_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----(.*?)-----END CERTIFICATE-----", re.DOTALL)


class Reader:
    """Reads files and folders; what is there and cannot be read is kept in ``unread``."""

    def __init__(self) -> None:
        """Nothing has been tried."""
        self.unread: list[str] = []

    def text(self, path: str) -> str | None:
        """Text of a file; None for one that is not there, or cannot be read."""
        try:
            return procfs.read(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            self.unread.append(f"{path}: {error.strerror}")
            return None

    def names(self, path: str) -> list[str]:
        """What is in a folder; nothing for none."""
        try:
            return sorted(os.listdir(path))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            self.unread.append(f"{path}: {error.strerror}")
            return []


def look(socket: str, cluster: str, kept: str, paths: list[str]) -> dict[str, list[str]]:
    """What a machine has of ``cluster``.

    ``running``: its containers that run; ``configured``: its services that have a folder of
    configuration; ``roots``: fingerprints (SHA-256, as openssl prints them) of the CAs that these
    trust; ``data``: directories out of ``paths`` that hold data of Kafka or its metadata;
    ``unread``: what is there and could not be read, each with the reason.

    ``kept`` is the note of the last whole run, in a folder of the folder of all configuration.
    """
    reader = Reader()
    root = os.path.dirname(os.path.dirname(kept))
    listed = container_list.members(socket, cluster)
    states = {each["Names"][0].lstrip("/"): each.get("State") for each in listed if each["Names"]}
    folders = set(reader.names(root))
    names = {*states, *_noted(reader.text(kept))} | {
        name
        for name in folders
        if name.startswith(f"{cluster}-") and _MEMBER.fullmatch(name[len(cluster) + 1 :])
    }
    trusted = {
        print_
        for name in sorted(names)
        for print_ in _fingerprints(reader, os.path.join(root, name, TRUSTED))
    }
    return {
        "running": sorted(name for name, state in states.items() if state not in ENDED),
        "configured": sorted(names & folders),
        "roots": sorted(trusted),
        "data": [path for path in paths if {*MARKERS} & {*reader.names(path)}],
        "unread": reader.unread,
    }


def _noted(text: str | None) -> list[str]:
    """Names of the containers in a note; none in one that is damaged: folders tell as well."""
    try:
        note: Any = json.loads(text or "")
        return [str(name) for name in note["containers"]]
    except (ValueError, KeyError, TypeError):
        return []


def _fingerprints(reader: Reader, path: str) -> list[str]:
    """Fingerprints of the certificates in a file; none for a service that speaks no TLS."""
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
        reader.unread.append(f"{path}: no certificate in it")
    return [":".join(re.findall("..", digest)) for digest in digests]
