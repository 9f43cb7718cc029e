# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Users of a cluster, read, tried and changed in bulk."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from .._common.deadlines import Deadline
from .._kafka.authentication import Listener, try_all
from .._kafka.client import PAUSE
from .._kafka.endpoints import ClusterError
from .._kafka.scram import ACCEPTED, REFUSED, Key, Secret
from . import user_model, users
from .client_base import AT_ONCE, ContentConnection, reason, word_of

# ``client`` says that the library is missing.
with suppress(ImportError):
    from kafka.errors import for_code
    from kafka.protocol.admin import (
        AlterUserScramCredentialsRequest,
        DescribeUserScramCredentialsRequest,
    )

SCRAM = {"SCRAM-SHA-256": 1, "SCRAM-SHA-512": 2}
RESOURCE_NOT_FOUND = 91


class UserConnection(ContentConnection):
    """A connection that changes users; ``listener`` is where passwords are tried, if anywhere."""

    listener: Listener | None = None

    def read_users(self) -> dict[str, dict[str, int]]:
        """Iterations by user and mechanism, in one request; raises ClusterError."""
        answer = self.send(
            "credentials of users", lambda: DescribeUserScramCredentialsRequest(users=None)
        )
        if answer.error_code:
            words = reason(answer.error_code, answer.error_message)
            raise ClusterError(f"credentials of users: {words}")
        return {
            found.user: {
                word_of(SCRAM, each.mechanism): each.iterations for each in found.credential_infos
            }
            for found in answer.results
            if not found.error_code
        }

    def try_users(self, secrets: Mapping[Key, Secret]) -> dict[Key, str]:
        """Whether users can log in with these secrets, tried at the first listener that answers."""
        results: dict[Key, str] = {}
        for server in self.listener.servers if self.listener else ():
            left = {key: each for key, each in secrets.items() if not settled(results.get(key))}
            if self.listener and left:
                results |= try_all(self.listener, [server], left, Deadline(self.timeout))
        return results

    def alter_users(
        self, steps: Sequence[user_model.Step], secrets: Mapping[str, Secret]
    ) -> dict[str, str]:
        """Set and take away credentials, and see new ones accepted; blockers by user."""
        blockers: dict[str, str] = {}
        for portion in users.portions(steps, AT_ONCE):
            puts = {step.key: step for step in portion if isinstance(step, user_model.Put)}
            made = {
                key: secrets[key.user].credential(key.mechanism, step.iterations)
                for key, step in puts.items()
            }
            gone = [step.key for step in portion if isinstance(step, user_model.Remove)]

            def request(made: Any = made, gone: Any = gone) -> Any:
                kind = AlterUserScramCredentialsRequest
                return kind(
                    deletions=[(key.user, SCRAM[key.mechanism]) for key in gone],
                    upsertions=[
                        (key.user, SCRAM[key.mechanism], each.iterations, each.salt, each.salted)
                        for key, each in made.items()
                    ],
                )

            self.deadline = Deadline(self.timeout)
            answer = self.ask(
                "change of credentials",
                lambda make=request: self.admin._manager.run(
                    self.admin._send_request_to_controller, make(), moved
                ),
            )
            for result in answer.results:
                # A user that is gone already is in the desired state.
                if result.error_code not in (0, RESOURCE_NOT_FOUND):
                    blockers[result.user] = reason(result.error_code, result.error_message)
            new = {key: secrets[key.user] for key in puts if key.user not in blockers}
            blockers |= self.wait_for_users(new)
        return blockers

    def wait_for_users(self, secrets: Mapping[Key, Secret]) -> dict[str, str]:
        """Wait until no listener refuses a secret that was just set.

        Brokers learn of it from each other; one that does not answer is not waited for.
        """
        waiting = dict(secrets) if self.listener else {}
        while waiting and self.listener:
            results = try_all(self.listener, self.listener.servers, waiting, self.deadline)
            waiting = {key: waiting[key] for key, said in results.items() if said == REFUSED}
            if waiting and self.deadline.passed():
                late = f"the new password is still refused after {self.timeout:g} s"
                return {key.user: late for key in waiting}
            if waiting:
                time.sleep(PAUSE)
        return {}


def settled(result: str | None) -> bool:
    """Whether somebody knew."""
    return result in (ACCEPTED, REFUSED)


def moved(answer: Any) -> Iterable[Any]:
    """Errors of an answer for which the controller is looked for anew."""
    codes = {result.error_code for result in answer.results}
    return [for_code(code) for code in codes if for_code(code).__name__ == "NotControllerError"]
