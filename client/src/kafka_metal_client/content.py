"""Create declared topics, ACLs and passwords that are missing; nothing is ever deleted.

For clusters that no playbook manages, such as the compose project. The Ansible modules
metal.kafka.topics, acls and users plan and apply changes as well.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from kafka_metal_client import state
from kafka_metal_client.brokers import METADATA_SECONDS, Config, client_of, common_config
from kafka_metal_client.errors import ClientError

REQUEST_SECONDS = 60
PARTS = ("topics", "users", "acls")


@dataclass(frozen=True)
class Content:
    """The declared content, in the form of the modules' options.

    ``topics`` by name, each with partitions, replication_factor and config; ``users`` by name, each
    with mechanisms and iterations; ``acls``, each with principal, resource_type, resource,
    operation, pattern, permission and host; ``passwords`` by user.
    """

    topics: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    users: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    acls: Iterable[Mapping[str, str]] = ()
    passwords: Mapping[str, str] = field(default_factory=dict)

    def credentials(self) -> Iterator[tuple[str, str, int]]:
        """Yield user, mechanism and iterations per password; ClientError if one is missing."""
        for name, user in self.users.items():
            for mechanism in user.get("mechanisms", []):
                if name not in self.passwords:
                    raise ClientError(f"user {name} has mechanisms, but no password is provided")
                yield name, mechanism, user.get("iterations", 8192)


def load(path: Path, passwords: Path | None = None) -> Content:
    """Read the declaration from a JSON file and passwords by user from another."""
    declared = state.load(path)
    if unknown := sorted(set(declared) - set(PARTS)):
        raise ClientError(f"{path}: found {', '.join(unknown)}, allowed are {', '.join(PARTS)}")
    return Content(**declared, passwords=state.load(passwords) if passwords else {})


def missing_names(specs: Iterable[str], known: set[str]) -> list[str]:
    """Return the declared names that are not in ``known``, sorted."""
    return sorted(set(specs) - known)


def create_missing(content: Content, bootstrap: str, extra: Mapping[str, str]) -> list[str]:
    """Create what is missing and return the names of new topics. ClientError names a failure.

    Passwords and ACLs are created before the topics they are for. All passwords are set every
    time: a broker does not return them for comparison.
    """
    from confluent_kafka import KafkaError, KafkaException
    from confluent_kafka.admin import AdminClient

    config: Config = common_config(bootstrap, extra)
    admin = client_of(AdminClient, config)
    try:
        known = set(admin.list_topics(timeout=METADATA_SECONDS).topics)
    except KafkaException as error:
        raise ClientError(f"no broker responded at {bootstrap}: {error.args[0].str()}") from error
    new = missing_names(content.topics, known)
    for what, done in (
        ("passwords", partial(_set_passwords, admin, content)),
        ("ACLs", partial(_grant, admin, content.acls)),
        ("topics", partial(_create, admin, content.topics, new)),
    ):
        for name, future in done().items():
            try:
                future.result()
            except KafkaException as error:
                # Created concurrently by another client: the desired state is reached.
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
