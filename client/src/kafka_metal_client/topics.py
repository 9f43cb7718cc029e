"""Makes the topics of a declaration that are not there yet; leaves the others as they are.

For clusters that no playbook manages, such as the compose project: what plans changes is the
Ansible module metal.kafka.topics.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kafka_metal_client.brokers import METADATA_SECONDS, Config, common_config
from kafka_metal_client.errors import ClientError

CREATE_SECONDS = 60
Wishes = Mapping[str, Mapping[str, Any]]


def load(path: Path) -> Wishes:
    """Topics by name, each with partitions, replication_factor and config, from a JSON file."""
    try:
        wishes: Wishes = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ClientError(f"cannot read {path}: {error}") from error
    return wishes


def missing(wishes: Wishes, known: set[str]) -> list[str]:
    """Names that are wished for and not known, sorted."""
    return sorted(set(wishes) - known)


def create(wishes: Wishes, bootstrap: str, extra: Mapping[str, str]) -> list[str]:
    """Make what is missing, in one request, and return the names. ClientError names a failure."""
    from confluent_kafka import KafkaError, KafkaException
    from confluent_kafka.admin import AdminClient, NewTopic

    config: Config = common_config(bootstrap, extra)
    admin = AdminClient(config)
    try:
        names = missing(wishes, set(admin.list_topics(timeout=METADATA_SECONDS).topics))
    except KafkaException as error:
        raise ClientError(f"no broker answered at {bootstrap}: {error.args[0].str()}") from error
    topics = [
        NewTopic(
            name,
            num_partitions=wishes[name]["partitions"],
            replication_factor=wishes[name]["replication_factor"],
            config={key: str(value) for key, value in wishes[name].get("config", {}).items()},
        )
        for name in names
    ]
    made = admin.create_topics(topics, operation_timeout=CREATE_SECONDS) if topics else {}
    for name, future in made.items():
        try:
            future.result()
        except KafkaException as error:
            # Somebody else was faster: that is what was wished for.
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise ClientError(f"topic {name}: {error.args[0].str()}") from error
    return names
