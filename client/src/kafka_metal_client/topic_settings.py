"""Settings of a topic that bound its records, read from the brokers."""

from collections.abc import Mapping
from typing import Any

from kafka_metal_client.brokers import client_of, common_config
from kafka_metal_client.errors import ClientError
from kafka_metal_client.sizes import Limit

REQUEST_SECONDS = 20
NO_RIGHT = {"TOPIC_AUTHORIZATION_FAILED", "CLUSTER_AUTHORIZATION_FAILED"}


def read_limit(bootstrap: str, extra: Mapping[str, str], topic: str) -> Limit:
    """Return the limit of a topic; Kafka's default if the user may not describe its config."""
    return limit_in(settings_of(bootstrap, extra, topic))


def limit_in(settings: Mapping[str, str]) -> Limit:
    """Return the limit in the settings of a topic; Kafka's default without settings."""
    if "max.message.bytes" not in settings:
        return Limit()
    return Limit(int(settings["max.message.bytes"]), from_topic=True)


def settings_of(bootstrap: str, extra: Mapping[str, str], topic: str) -> dict[str, str]:
    """Return the settings of a topic; none if the user may not describe its config."""
    from confluent_kafka import KafkaException
    from confluent_kafka.admin import AdminClient, ConfigResource

    admin = client_of(AdminClient, common_config(bootstrap, extra))
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic)
    (answer,) = admin.describe_configs([resource], request_timeout=REQUEST_SECONDS).values()
    try:
        entries: Mapping[str, Any] = answer.result(timeout=REQUEST_SECONDS + 5)
    except KafkaException as error:
        if error.args[0].name() in NO_RIGHT:
            return {}
        raise ClientError(
            f"the config of topic {topic} cannot be read: {error.args[0].str()}; nothing was sent"
        ) from error
    return {name: entry.value for name, entry in entries.items() if entry.value is not None}
