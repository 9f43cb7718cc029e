# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Files with secrets, for a host: each with name and content. Made where they are read, never kept.

They hold secrets, so they are no facts of the site, which a run keeps in a file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...module_utils._containers.support import redaction
from .._security import client_security as clients
from .._security.security_modes import Mode, mode_of

Files = list[dict[str, str]]

FOLDER = "/etc/kafka-metal"


@dataclass(frozen=True)
class Host:
    """The host whose task reads: facts of the site by name, secrets by term, variables."""

    know: Callable[[str], Any]
    secret: Callable[[str], str]
    # The same, or an empty text: the store of an older release has it after the next run.
    known_secret: Callable[[str], str]
    read: Callable[[str, Any], Any]
    # A variable of any host of the inventory, by host and name; None where it has none.
    of: Callable[[str, str], Any]

    def variable(self, name: str, default: Any = None) -> Any:
        """A variable of the task, or the default of a role; raises KeyError without either."""
        return self.read(name, default)

    @property
    def own(self) -> Mode:
        """What programs of the platform show."""
        return mode_of(self.know("security.own_mode"))


def file(name: str, content: str) -> dict[str, str]:
    """A file by its name in a folder of secrets."""
    return {"name": name, "content": content}


def trusted(host: Host) -> dict[str, str]:
    """The CAs that programs of the platform trust."""
    return file("ca.pem", host.secret("truststore"))


def client_keys(host: Host, users: list[str], mode: str) -> Files:
    """What proves who a client is, for several users."""
    terms = [f"{host.know('people.client_secret')}{user}" for user in users]
    return clients.client_files(users, [host.secret(term) for term in terms], mode)


def passwords(host: Host) -> dict[str, str]:
    """Passwords of users, by name."""
    return {name: host.secret(f"password:{name}") for name in host.know("people.passwords")}


def all_secrets(host: Host) -> list[str]:
    """Every secret that the control node knows: support archives are redacted of them."""
    stored = [host.known_secret(name) for name in host.know("people.secret_names")]
    receivers = (host.of(each, "monitoring_receivers") for each in host.know("monitoring.watching"))
    return [
        *stored,
        *(secret for said in receivers for secret in sorted(redaction.secrets_of(said))),
    ]
