"""Declared topics, ACLs and passwords, made where they are missing; nothing is ever taken away.

For clusters that no playbook manages, such as the compose project: what plans changes are the
Ansible modules metal.kafka.topics, acls and users.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from kafka_metal_client import state
from kafka_metal_client.brokers import METADATA_SECONDS, Config, common_config
from kafka_metal_client.errors import ClientError

REQUEST_SECONDS = 60
PARTS = ("topics", "users", "acls")


@dataclass(frozen=True)
class Content:
    """What is declared, in the words of the modules' options.

    ``topics`` by name, each with partitions, replication_factor and config; ``users`` by name, each
    with mechanisms and iterations; ``acls``, each with principal, resource_type, resource,
    operation, pattern, permission and host; ``passwords`` by user.
    """

    topics: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    users: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    acls: Iterable[Mapping[str, str]] = ()
    passwords: Mapping[str, str] = field(default_factory=dict)

    def credentials(self) -> Iterator[tuple[str, str, int]]:
        """User, mechanism and iterations of each password to be set. ClientError names a gap."""
        for name, user in self.users.items():
            for mechanism in user.get("mechanisms", []):
                if name not in self.passwords:
                    raise ClientError(f"user {name} logs in by a password, and none is given")
                yield name, mechanism, user.get("iterations", 8192)


def load(path: Path, passwords: Path | None = None) -> Content:
    """The declaration of a JSON file and, from another one, passwords by user."""
    declared = state.load(path)
    if unknown := sorted(set(declared) - set(PARTS)):
        raise ClientError(f"{path}: found {', '.join(unknown)}, allowed are {', '.join(PARTS)}")
    return Content(**declared, passwords=state.load(passwords) if passwords else {})


def missing(specs: Iterable[str], known: set[str]) -> list[str]:
    """Names that are declared and not known, sorted."""
    return sorted(set(specs) - known)


def make(content: Content, bootstrap: str, extra: Mapping[str, str]) -> list[str]:
    """Make what is missing and return the names of new topics. ClientError names a failure.

    Passwords and rights come before what they are for. Passwords are set every time: nobody can ask
    a broker whether one is the declared one.
    """
    from confluent_kafka import KafkaError, KafkaException
    from confluent_kafka.admin import AdminClient

    config: Config = common_config(bootstrap, extra)
    admin = AdminClient(config)
    try:
        known = set(admin.list_topics(timeout=METADATA_SECONDS).topics)
    except KafkaException as error:
        raise ClientError(f"no broker answered at {bootstrap}: {error.args[0].str()}") from error
    new = missing(content.topics, known)
    for what, done in (
        ("passwords", partial(_set_passwords, admin, content)),
        ("ACLs", partial(_grant, admin, content.acls)),
        ("topics", partial(_create, admin, content.topics, new)),
    ):
        for name, future in done().items():
            try:
                future.result()
            except KafkaException as error:
                # Somebody else was faster: that is the desired state.
                if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                    raise ClientError(f"{what}, {name}: {error.args[0].str()}") from error
    return new


def _set_passwords(admin: Any, content: Content) -> Mapping[Any, Any]:
    from confluent_kafka.admin import (
        ScramCredentialInfo,
        ScramMechanism,
        UserScramCredentialUpsertion,
    )

    specs = [
        UserScramCredentialUpsertion(
            user,
            ScramCredentialInfo(ScramMechanism[mechanism.replace("-", "_")], iterations),
            content.passwords[user].encode(),
        )
        for user, mechanism, iterations in content.credentials()
    ]
    found: Mapping[Any, Any] = (
        admin.alter_user_scram_credentials(specs, request_timeout=REQUEST_SECONDS) if specs else {}
    )
    return found


def _grant(admin: Any, acls: Iterable[Mapping[str, str]]) -> Mapping[Any, Any]:
    from confluent_kafka.admin import AclBinding

    specs = [
        AclBinding(
            # librdkafka calls the cluster a broker.
            "broker" if acl["resource_type"] == "cluster" else acl["resource_type"],
            acl["resource"],
            acl["pattern"],
            acl["principal"],
            acl["host"],
            acl["operation"],
            acl["permission"],
        )
        for acl in acls
    ]
    found: Mapping[Any, Any] = (
        admin.create_acls(specs, request_timeout=REQUEST_SECONDS) if specs else {}
    )
    return found


def _create(
    admin: Any, specs: Mapping[str, Mapping[str, Any]], names: Iterable[str]
) -> Mapping[Any, Any]:
    from confluent_kafka.admin import NewTopic

    topics = [
        NewTopic(
            name,
            num_partitions=specs[name]["partitions"],
            replication_factor=specs[name]["replication_factor"],
            config={key: str(value) for key, value in specs[name].get("config", {}).items()},
        )
        for name in names
    ]
    found: Mapping[Any, Any] = (
        admin.create_topics(topics, operation_timeout=REQUEST_SECONDS) if topics else {}
    )
    return found
