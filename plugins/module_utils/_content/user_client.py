# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Read and change SCRAM users in bulk, and check their passwords."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from .._common.deadlines import Deadline
from .._kafka.authentication import Listener, check_logins
from .._kafka.client import PAUSE
from .._kafka.endpoints import ClusterError
from .._kafka.scram import ACCEPTED, REFUSED, Key, Secret
from . import user_model, users
from .client_base import PER_REQUEST, ContentConnection, code_name, error_reason

# ``client.MISSING`` reports a missing library.
with suppress(ImportError):
    from kafka.errors import for_code
    from kafka.protocol.admin import (
        AlterUserScramCredentialsRequest,
        DescribeUserScramCredentialsRequest,
    )

SCRAM = {"SCRAM-SHA-256": 1, "SCRAM-SHA-512": 2}
RESOURCE_NOT_FOUND = 91


class UserConnection(ContentConnection):
    """A connection that changes users; ``listener`` is where passwords are checked, if set."""

    listener: Listener | None = None

    def read_users(self) -> dict[str, dict[str, int]]:
        """Return iterations by user and mechanism, read in one request; raises ClusterError."""
        answer = self.send(
            "reading credentials of users", lambda: DescribeUserScramCredentialsRequest(users=None)
        )
        if answer.error_code:
            message = error_reason(answer.error_code, answer.error_message)
            raise ClusterError(f"reading credentials of users: {message}")
        return {
            found.user: {
                code_name(SCRAM, each.mechanism): each.iterations for each in found.credential_infos
            }
            for found in answer.results
            if not found.error_code
        }

    def check_passwords(self, secrets: Mapping[Key, Secret]) -> dict[Key, str]:
        """Return the result of a login per secret, at the first server that responds."""
        results: dict[Key, str] = {}
        for server in self.listener.servers if self.listener else ():
            open_keys = {key: each for key, each in secrets.items() if not final(results.get(key))}
            if self.listener and open_keys:
                results |= check_logins(self.listener, [server], open_keys, Deadline(self.timeout))
        return results

    def alter_users(
        self, steps: Sequence[user_model.Step], secrets: Mapping[str, Secret]
    ) -> dict[str, str]:
        """Set and remove credentials, wait until new ones work; return the blockers by user."""
        blockers: dict[str, str] = {}
        for portion in users.split_into_requests(steps, PER_REQUEST):
            puts = {step.key: step for step in portion if isinstance(step, user_model.Put)}
            made = {
                key: secrets[key.user].credential(key.mechanism, step.iterations)
                for key, step in puts.items()
            }
            removed = [step.key for step in portion if isinstance(step, user_model.Remove)]

            def request(made: Any = made, removed: Any = removed) -> Any:
                kind = AlterUserScramCredentialsRequest
                return kind(
                    deletions=[(key.user, SCRAM[key.mechanism]) for key in removed],
                    upsertions=[
                        (key.user, SCRAM[key.mechanism], each.iterations, each.salt, each.salted)
                        for key, each in made.items()
                    ],
                )

            self.deadline = Deadline(self.timeout)
            answer = self.call(
                "changing credentials of users",
                lambda make=request: self.admin._manager.run(
                    self.admin._send_request_to_controller, make(), controller_errors
                ),
            )
            for result in answer.results:
                # A missing user is the desired result of a removal.
                if result.error_code not in (0, RESOURCE_NOT_FOUND):
                    blockers[result.user] = error_reason(result.error_code, result.error_message)
            new = {key: secrets[key.user] for key in puts if key.user not in blockers}
            blockers |= self.wait_for_users(new)
        return blockers

    def wait_for_users(self, secrets: Mapping[Key, Secret]) -> dict[str, str]:
        """Wait until no broker rejects a new secret; return the users that timed out.

        Brokers receive new credentials with a delay; brokers that do not respond are ignored.
        """
        waiting = dict(secrets) if self.listener else {}
        while waiting and self.listener:
            results = check_logins(self.listener, self.listener.servers, waiting, self.deadline)
            waiting = {key: waiting[key] for key, result in results.items() if result == REFUSED}
            if waiting and self.deadline.passed():
                late = f"the new password is still rejected after {self.timeout:g} s"
                return {key.user: late for key in waiting}
            if waiting:
                time.sleep(PAUSE)
        return {}


def final(result: str | None) -> bool:
    """Whether a broker accepted or rejected the login."""
    return result in (ACCEPTED, REFUSED)


def controller_errors(answer: Any) -> Iterable[Any]:
    """Return the errors of a response after which the client looks up the controller again."""
    codes = {result.error_code for result in answer.results}
    return [for_code(code) for code in codes if for_code(code).__name__ == "NotControllerError"]
