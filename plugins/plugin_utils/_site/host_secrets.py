# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Files with secrets of a host, each with name and content.

They are computed for each task and never stored, unlike the facts of the site, which a run keeps in
files.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...module_utils._containers.support import redaction
from .._security import client_security as clients
from .._security.security_modes import Mode, find_mode

Files = list[dict[str, str]]

FOLDER = "/etc/kafka-metal"


@dataclass(frozen=True)
class Host:
    """The host of the current task, with access to facts, secrets and variables."""

    # A fact of the site by name.
    fact: Callable[[str], Any]
    # A secret by term.
    secret: Callable[[str], str]
    # A secret, or an empty text if the store of an older release does not have it yet.
    stored_secret: Callable[[str], str]
    read: Callable[[str, Any], Any]
    # A variable of any host of the inventory, by host and name; None if it is not set.
    variable_of: Callable[[str, str], Any]

    def variable(self, name: str, default: Any = None) -> Any:
        """A variable of the task, or a role's default; raises KeyError if neither exists."""
        return self.read(name, default)

    @property
    def service_account_mode(self) -> Mode:
        """Mode with which the platform's services authenticate."""
        return find_mode(self.fact("security.service_account_mode"))


def file(name: str, content: str) -> dict[str, str]:
    """Return an entry of service_secret_files."""
    return {"name": name, "content": content}


def trusted(host: Host) -> dict[str, str]:
    """The file with the CAs that the platform's services trust."""
    return file("ca.pem", host.secret("truststore"))


def client_keys(host: Host, users: list[str], mode: str) -> Files:
    """Files with the passwords or keys of several users."""
    terms = [f"{host.fact('users.secret_prefix')}{user}" for user in users]
    return clients.client_files(users, [host.secret(term) for term in terms], mode)


def user_passwords(host: Host) -> dict[str, str]:
    """Passwords of users, by name."""
    return {name: host.secret(f"password:{name}") for name in host.fact("users.with_password")}


def all_secrets(host: Host) -> list[str]:
    """All secrets of the control node, which are redacted from support archives."""
    stored = [host.stored_secret(name) for name in host.fact("credentials.lookup_terms")]
    receivers = (
        host.variable_of(each, "monitoring_receivers") for each in host.fact("monitoring.hosts")
    )
    own = [host.variable_of(each, "kafka_content_passwords") for each in host.fact("kafka.hosts")]
    return [
        *stored,
        *(str(password) for passwords in own if passwords for password in passwords.values()),
        *(secret for each in receivers for secret in sorted(redaction.find_secrets(each))),
    ]
