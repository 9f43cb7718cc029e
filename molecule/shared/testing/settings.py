"""Settings of running brokers, read without the project's own modules, which are under test."""

from collections.abc import Iterable, Mapping
from typing import Any

from kafka.admin import ConfigResource

from testing import access
from testing.waiting import NotYet, wait_for

# Source of a value that was set for one broker or topic, as kafka-python names it.
DYNAMIC = {"broker": "DYNAMIC_BROKER_CONFIG", "topic": "DYNAMIC_TOPIC_CONFIG"}
# A loaded broker has needed seconds to learn of a change through ZooKeeper.
APPLIED_SECONDS = 20


class Settings:
    """Settings of a cluster's brokers and topics, through its bootstrap servers."""

    def __init__(self, bootstrap: str) -> None:
        self._bootstrap = bootstrap

    def _describe(self, kind: str, names: Iterable[Any]) -> dict[str, dict[str, Any]]:
        resources = [ConfigResource(kind, str(name), None) for name in names]
        with access.admin(self._bootstrap) as admin:
            return admin.describe_configs(resources, config_filter="all")[kind]

    def changeable(self, broker: int) -> set[str]:
        """Return the keys that a broker reports as changeable at run time."""
        keys = self._describe("broker", [broker])[str(broker)]
        return {key for key, entry in keys.items() if not entry["read_only"]}

    def names_of_broker(self, broker: int) -> set[str]:
        """Return the names of all keys of a broker, those of its listeners included."""
        return set(self._describe("broker", [broker])[str(broker)])

    def names_of_topic(self, topic: str) -> set[str]:
        """Return the names of all keys of a topic."""
        return set(self._describe("topic", [topic])[topic])

    def of_brokers(self, brokers: Iterable[int], key: str) -> dict[int, str | None]:
        """Return the effective value of ``key`` on each broker."""
        found = self._describe("broker", brokers)
        return {int(broker): keys[key]["value"] for broker, keys in found.items()}

    def of_topic(self, topic: str, key: str) -> str | None:
        """Return the effective value of ``key`` of a topic."""
        return self._describe("topic", [topic])[topic][key]["value"]

    def change(self, broker: int, values: Mapping[str, str | None]) -> None:
        """Set dynamic keys of a broker as an operator might by hand; None deletes a key.

        Returns when the broker itself reports them: it learns of a change some time after the
        answer.
        """
        self._change("broker", str(broker), values)

    def change_topic(self, topic: str, values: Mapping[str, str | None]) -> None:
        """Set keys of a topic as an operator might by hand; None deletes a key."""
        self._change("topic", topic, values)

    def _change(self, kind: str, name: str, values: Mapping[str, str | None]) -> None:
        configs = {
            key: ("DELETE", None) if value is None else ("SET", value)
            for key, value in values.items()
        }
        with access.admin(self._bootstrap) as admin:
            # Brokers report limits of one listener as read-only, but accept changes of them.
            answer = admin.alter_configs(
                [ConfigResource(kind, name, configs)], raise_on_unknown=False
            )
        assert answer[kind][name] == "OK", answer
        wait_for(
            f"{kind} {name} reports {dict(values)}",
            lambda: self._reports(kind, name, values),
            seconds=APPLIED_SECONDS,
            every=0.1,
        )

    def _reports(self, kind: str, name: str, values: Mapping[str, str | None]) -> None:
        found = self._describe(kind, [name])[name]
        for key, value in values.items():
            dynamic = found[key]["config_source"] == DYNAMIC[kind]
            if found[key]["value"] != value if value is not None else dynamic:
                raise NotYet(f"{key} is {found[key]['value']} ({found[key]['config_source']})")
