# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The password of Prometheus and Alertmanager for their web configuration."""

from __future__ import annotations

import base64
import functools
import hashlib
from typing import Any

import bcrypt

from ...module_utils._common.web_login import USER

# Base-2 logarithm of the rounds. Few are enough, since the password has 192 random bits.
COST = 8
_BASE64 = bytes.maketrans(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
)


@functools.cache
def password_hash(password: str) -> str:
    """The bcrypt hash of a generated password; equal passwords have equal hashes.

    A random salt would change the file in every run and restart the services. A salt protects
    against tables of hashes of likely passwords, which a generated password is not.
    """
    digest = hashlib.sha256(f"kafka-metal web {password}".encode()).digest()[:16]
    salt = base64.b64encode(digest).translate(_BASE64)[:22]
    return bcrypt.hashpw(password.encode(), b"$2b$%02d$%s" % (COST, salt)).decode()


def web_config(password: str) -> dict[str, Any]:
    """``web.yml`` of a service that requires this password; empty without a password."""
    return {"basic_auth_users": {USER: password_hash(password)}} if password else {}
