# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Which CA the containers of a cluster on this machine trust, whoever has brought them up.

Runs on the hosts, with whatever Python they have from 3.9 on and nothing but its library.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re

from . import machine

# What every service that speaks TLS has in its folder of configuration.
TRUSTED = "ca.pem"
# States of a container that no process is behind.
ENDED = ("created", "exited", "dead")

_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----(.*?)-----END CERTIFICATE-----", re.DOTALL)


def look(socket: str, cluster: str, config_root: str) -> dict[str, list[str]]:
    """Containers that are ``running``, and the ``roots`` that all of them trust, running or not.

    Roots are fingerprints (SHA-256) as openssl prints them. Without an engine there are none.
    """
    found = machine.members(socket, cluster)
    names = {each["Names"][0].lstrip("/"): each for each in found if each.get("Names")}
    return {
        "running": sorted(name for name, each in names.items() if each.get("State") not in ENDED),
        "roots": sorted({root for name in names for root in _roots(f"{config_root}/{name}")}),
    }


def _roots(folder: str) -> list[str]:
    """Fingerprints of what a service trusts; none for one that speaks no TLS."""
    try:
        text = machine.read(os.path.join(folder, TRUSTED))
    except FileNotFoundError:
        return []
    digests = (
        hashlib.sha256(base64.b64decode(body)).hexdigest().upper()
        for body in _CERTIFICATE.findall(text)
    )
    return [":".join(re.findall("..", digest)) for digest in digests]
