# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The password of Prometheus and Alertmanager, as their web configuration takes it."""

from __future__ import annotations

import base64
import functools
import hashlib
from typing import Any

import bcrypt

from ...module_utils._common.web_login import USER

# Rounds are 2 to the power of this. The password has 192 random bits: nobody guesses it, however
# fast the hash is.
COST = 8
_BASE64 = bytes.maketrans(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
)


@functools.cache
def password_hash(password: str) -> str:
    """The bcrypt hash of a generated password; the same password has always the same hash.

    A random salt would change the file, and restart what reads it, at every run. Salt is there
    against tables of hashes of likely passwords, and a generated one is in no table.
    """
    digest = hashlib.sha256(f"kafka-metal web {password}".encode()).digest()[:16]
    salt = base64.b64encode(digest).translate(_BASE64)[:22]
    return bcrypt.hashpw(password.encode(), b"$2b$%02d$%s" % (COST, salt)).decode()


def web_config(password: str) -> dict[str, Any]:
    """``web.yml`` of a program that asks for this password; empty where it is empty."""
    return {"basic_auth_users": {USER: password_hash(password)}} if password else {}
