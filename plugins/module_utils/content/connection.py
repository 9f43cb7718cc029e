# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Users, ACLs and quotas of a cluster, read and changed in bulk over kafka-python."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

try:
    from kafka.errors import for_code
    from kafka.protocol.admin import (
        AlterClientQuotasRequest,
        AlterUserScramCredentialsRequest,
        CreateAclsRequest,
        DeleteAclsRequest,
        DescribeAclsRequest,
        DescribeClientQuotasRequest,
        DescribeUserScramCredentialsRequest,
    )
except ImportError:  # cluster.MISSING tells.
    pass

from ..cluster import PAUSE, ClusterError, Connection
from ..waiting import Deadline, side_by_side
from . import users
from .acls import Acl, portions
from .login import Listener, try_all
from .quotas import DEFAULT, Alter, Entity
from .scram import Key, Secret

# Numbers of the protocol.
RESOURCE_TYPES = {
    "topic": 2,
    "group": 3,
    "cluster": 4,
    "transactional_id": 5,
    "delegation_token": 6,
    "user": 7,
}
PATTERNS = {"literal": 3, "prefixed": 4}
PERMISSIONS = {"deny": 2, "allow": 3}
OPERATIONS = {
    "all": 2,
    "read": 3,
    "write": 4,
    "create": 5,
    "delete": 6,
    "alter": 7,
    "describe": 8,
    "cluster_action": 9,
    "describe_configs": 10,
    "alter_configs": 11,
    "idempotent_write": 12,
    "create_tokens": 13,
    "describe_tokens": 14,
}
SCRAM = {"SCRAM-SHA-256": 1, "SCRAM-SHA-512": 2}
ENTITIES = {"user": "user", "client": "client-id", "ip": "ip"}
ANY = 1
# The first version of requests on ACLs that has the resource type user, which filters include.
WITH_USERS = 3
# Users and quotas in one request: brokers write each of them on its own.
AT_ONCE = 100

NO_AUTHORIZER = 54
RESOURCE_NOT_FOUND = 91


def word_of(words: Mapping[str, int], number: int) -> str:
    """The word for a number of the protocol; an unknown one stays a number."""
    return next((word for word, each in words.items() if each == number), str(number))


def reason(code: int, message: str | None) -> str:
    """Kafka's words for a refusal."""
    return message or for_code(code).__name__


class ContentConnection(Connection):
    """A connection that reads and changes users, ACLs and quotas.

    ``listener`` is where passwords are tried, None for nowhere.
    """

    def __init__(
        self,
        servers: Sequence[str],
        config: Mapping[str, Any],
        timeout: float,
        listener: Listener | None = None,
    ) -> None:
        """Find a broker that answers."""
        super().__init__(servers, config, timeout)
        self.timeout = timeout
        self.listener = listener

    def send(self, what: str, request: Callable[[], Any], broker: int | None = None) -> Any:
        """The answer to a request, which is made anew each time it is asked."""
        manager = self.admin._manager

        def question() -> Any:
            return manager.run(manager.send, request(), broker)

        return self.ask(what, question)

    # -- ACLs ----------------------------------------------------------------------------------

    def read_acls(self, broker: int | None = None) -> set[Acl]:
        """All ACLs, in one request; raises ClusterError."""

        def request() -> Any:
            return DescribeAclsRequest(
                min_version=WITH_USERS,
                resource_type_filter=ANY,
                resource_name_filter=None,
                pattern_type_filter=ANY,
                principal_filter=None,
                host_filter=None,
                operation=ANY,
                permission_type=ANY,
            )

        answer = self.send("ACLs", request, broker)
        if answer.error_code:
            words = reason(answer.error_code, answer.error_message)
            hint = (
                "; brokers have no authorizer: set authorizer.class.name"
                if answer.error_code == NO_AUTHORIZER
                else ""
            )
            raise ClusterError(f"ACLs: {words}{hint}")
        return {
            Acl(
                principal=entry.principal,
                resource_type=word_of(RESOURCE_TYPES, found.resource_type),
                resource=found.resource_name,
                operation=word_of(OPERATIONS, entry.operation),
                pattern=word_of(PATTERNS, found.pattern_type),
                permission=word_of(PERMISSIONS, entry.permission_type),
                host=entry.host,
            )
            for found in answer.resources
            for entry in found.acls
        }

    def create_acls(self, acls: Sequence[Acl]) -> dict[Acl, str]:
        """Make ACLs and wait until every broker goes by them; obstacles by ACL."""
        obstacles: dict[Acl, str] = {}
        for portion in portions(acls):

            def request(chosen: Sequence[Acl] = portion) -> Any:
                return CreateAclsRequest(
                    min_version=WITH_USERS,
                    creations=[
                        CreateAclsRequest.AclCreation(
                            resource_type=RESOURCE_TYPES[acl.resource_type],
                            resource_name=acl.resource,
                            resource_pattern_type=PATTERNS[acl.pattern],
                            principal=acl.principal,
                            host=acl.host,
                            operation=OPERATIONS[acl.operation],
                            permission_type=PERMISSIONS[acl.permission],
                        )
                        for acl in chosen
                    ],
                )

            self.deadline = Deadline(self.timeout)
            answer = self.send("creation of ACLs", request)
            for acl, said in zip(portion, answer.results, strict=True):
                if said.error_code:
                    obstacles[acl] = reason(said.error_code, said.error_message)
        return obstacles | self.wait_for_acls(set(acls) - obstacles.keys(), there=True)

    def delete_acls(self, acls: Sequence[Acl]) -> dict[Acl, str]:
        """Take ACLs away and wait until no broker goes by them; obstacles by ACL."""
        obstacles: dict[Acl, str] = {}
        for portion in portions(acls):

            def request(chosen: Sequence[Acl] = portion) -> Any:
                return DeleteAclsRequest(
                    min_version=WITH_USERS,
                    filters=[
                        DeleteAclsRequest.DeleteAclsFilter(
                            resource_type_filter=RESOURCE_TYPES[acl.resource_type],
                            resource_name_filter=acl.resource,
                            pattern_type_filter=PATTERNS[acl.pattern],
                            principal_filter=acl.principal,
                            host_filter=acl.host,
                            operation=OPERATIONS[acl.operation],
                            permission_type=PERMISSIONS[acl.permission],
                        )
                        for acl in chosen
                    ],
                )

            self.deadline = Deadline(self.timeout)
            answer = self.send("removal of ACLs", request)
            for acl, said in zip(portion, answer.filter_results, strict=True):
                if said.error_code:
                    obstacles[acl] = reason(said.error_code, said.error_message)
        return obstacles | self.wait_for_acls(set(acls) - obstacles.keys(), there=False)

    def wait_for_acls(self, acls: set[Acl], there: bool) -> dict[Acl, str]:
        """Wait until every broker that answers has, or has no more, these ACLs.

        A client may ask any of them next. Gives those for which time ran out.
        """
        self.deadline = Deadline(self.timeout)
        while acls:
            answers = side_by_side(
                {broker: partial(self.read_acls, broker) for broker in self.known_brokers()},
                Deadline(min(self.patience, self.deadline.left())),
            )
            views = [found for found in answers.values() if not isinstance(found, Exception)]
            late = {acl for acl in acls if any((acl in view) is not there for view in views)}
            if views and not late:
                break
            if self.deadline.passed():
                return dict.fromkeys(late or acls, f"not in force after {self.timeout:g} s")
            # Brokers learn of it from each other within a second.
            time.sleep(PAUSE)
        return {}

    # -- quotas --------------------------------------------------------------------------------

    def read_quotas(self) -> dict[Entity, dict[str, float]]:
        """All quotas, in one request; raises ClusterError."""
        everything: dict[str, Any] = {"components": [], "strict": False}
        answer = self.send("quotas", lambda: DescribeClientQuotasRequest(**everything))
        if answer.error_code:
            raise ClusterError(f"quotas: {reason(answer.error_code, answer.error_message)}")
        return {
            entity_of(entry.entity): {value.key: float(value.value) for value in entry.values}
            for entry in answer.entries or ()
        }

    def alter_quotas(self, steps: Sequence[Alter], dry: bool) -> dict[Entity, str]:
        """Set and take away keys of quotas and wait until they are read back; obstacles."""
        obstacles: dict[Entity, str] = {}
        for start in range(0, len(steps), AT_ONCE):
            portion = steps[start : start + AT_ONCE]

            def request(chosen: Sequence[Alter] = portion) -> Any:
                return AlterClientQuotasRequest(
                    entries=[entry_of(step) for step in chosen], validate_only=dry
                )

            self.deadline = Deadline(self.timeout)
            answer = self.send("change of quotas", request)
            for entry in answer.entries:
                if entry.error_code:
                    words = reason(entry.error_code, entry.error_message)
                    obstacles[entity_of(entry.entity)] = words
            if not dry:
                done = [step for step in portion if step.entity not in obstacles]
                obstacles |= self.wait_for_quotas(done)
        return obstacles

    def wait_for_quotas(self, steps: Sequence[Alter]) -> dict[Entity, str]:
        """Wait until the cluster tells the new values; gives those for which time ran out."""
        waiting = list(steps)
        while waiting:
            found = self.read_quotas()
            waiting = [
                step
                for step in waiting
                if not step.values.items() <= found.get(step.entity, {}).items()
                or set(step.removed) & found.get(step.entity, {}).keys()
            ]
            if waiting and self.deadline.passed():
                late = f"not in force after {self.timeout:g} s"
                return {step.entity: late for step in waiting}
            if waiting:
                time.sleep(PAUSE)
        return {}

    # -- users ---------------------------------------------------------------------------------

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
        verdicts: dict[Key, str] = {}
        for server in self.listener.servers if self.listener else ():
            left = {key: each for key, each in secrets.items() if not settled(verdicts.get(key))}
            if self.listener and left:
                verdicts |= try_all(self.listener, [server], left, Deadline(self.timeout))
        return verdicts

    def alter_users(
        self, steps: Sequence[users.Step], secrets: Mapping[str, Secret]
    ) -> dict[str, str]:
        """Set and take away credentials, and see new ones accepted; obstacles by user."""
        obstacles: dict[str, str] = {}
        for portion in users.portions(steps, AT_ONCE):
            puts = {step.key: step for step in portion if isinstance(step, users.Put)}
            made = {
                key: secrets[key.user].credential(key.mechanism, step.iterations)
                for key, step in puts.items()
            }
            gone = [step.key for step in portion if isinstance(step, users.Remove)]

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
                # One that is gone already is what was wished for.
                if result.error_code not in (0, RESOURCE_NOT_FOUND):
                    obstacles[result.user] = reason(result.error_code, result.error_message)
            new = {key: secrets[key.user] for key in puts if key.user not in obstacles}
            obstacles |= self.wait_for_users(new)
        return obstacles

    def wait_for_users(self, secrets: Mapping[Key, Secret]) -> dict[str, str]:
        """Wait until no listener refuses a secret that was just set.

        Brokers learn of it from each other; one that does not answer is not waited for.
        """
        waiting = dict(secrets) if self.listener else {}
        while waiting and self.listener:
            verdicts = try_all(self.listener, self.listener.servers, waiting, self.deadline)
            waiting = {key: waiting[key] for key, said in verdicts.items() if said == users.REFUSED}
            if waiting and self.deadline.passed():
                late = f"the new password is still refused after {self.timeout:g} s"
                return {key.user: late for key in waiting}
            if waiting:
                time.sleep(PAUSE)
        return {}


def settled(verdict: str | None) -> bool:
    """Whether somebody knew."""
    return verdict in (users.ACCEPTED, users.REFUSED)


def moved(answer: Any) -> Iterable[Any]:
    """Errors of an answer for which the controller is looked for anew."""
    codes = {result.error_code for result in answer.results}
    return [for_code(code) for code in codes if for_code(code).__name__ == "NotControllerError"]


def entity_of(parts: Iterable[Any]) -> Entity:
    """An entity as Kafka names it."""
    names = {kafka: ours for ours, kafka in ENTITIES.items()}
    return Entity(
        **{
            names[part.entity_type]: DEFAULT if part.entity_name is None else part.entity_name
            for part in parts
            if part.entity_type in names
        }
    )


def entry_of(step: Alter) -> Any:
    """A change of quotas as Kafka reads it."""
    kind = AlterClientQuotasRequest.EntryData
    given = ((ENTITIES[ours], getattr(step.entity, ours)) for ours in ENTITIES)
    return kind(
        entity=[
            kind.EntityData(entity_type=name, entity_name=None if value == DEFAULT else value)
            for name, value in given
            if value
        ],
        ops=[
            *(kind.OpData(key=k, value=v, remove=False) for k, v in sorted(step.values.items())),
            *(kind.OpData(key=key, value=0.0, remove=True) for key in step.removed),
        ],
    )
