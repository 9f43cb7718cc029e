# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Read and change settings of running brokers, and wait until changes are effective."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from .._common.deadlines import Deadline, run_in_parallel
from .client import PAUSE, Connection
from .dynamic_configs import DEFAULT, FROM_FILE, ON_BROKER, ON_CLUSTER, Entry, Spec, Step, plan
from .endpoints import ClusterError, error_text

# ``client.MISSING`` reports a missing library.
with suppress(ImportError):
    from kafka.admin import ConfigResource

SOURCES = (ON_BROKER, ON_CLUSTER, FROM_FILE, DEFAULT)
Entries = Mapping[str, Entry]


def parse_entry(key: str, described: Mapping[str, Any]) -> Entry:
    """Return the entry of a key from kafka-python's description.

    Synonyms of the key under other names are ignored.
    """
    levels = {
        one["source"]: one["value"]
        for one in described.get("synonyms") or ()
        if one["name"] == key and one["source"] in SOURCES and one["value"] is not None
    }
    return Entry(
        text=described["value"],
        kind=described.get("config_type", "STRING"),
        levels=levels,
        fixed=bool(described["read_only"]),
    )


# Text around Kafka's reason: error number and name of the client, names of classes.
WRAPPING = re.compile(
    r"^.*?Error: |Invalid value (?=\S+Exception)|[\w.]+Exception: "
    r"| for configuration Invalid dynamic configuration$"
)


def error_message(error: str) -> str:
    """Return Kafka's own message from an error text."""
    return WRAPPING.sub("", error).strip() or error


def messages(refused: Mapping[tuple[str, str], Sequence[int]]) -> list[str]:
    """Return one message per rejected setting and reason, with its brokers."""
    return [
        f"{spec} is rejected by broker {', '.join(map(str, brokers))}: {why}"
        for (spec, why), brokers in refused.items()
    ]


class BrokerConnection(Connection):
    """A connection that reads and changes settings of brokers while they run."""

    def read_brokers(
        self, brokers: Iterable[int]
    ) -> tuple[dict[int, dict[str, Entry]], dict[int, str]]:
        """Return all keys of each broker, and the reasons of brokers that did not respond."""
        answers = run_in_parallel(
            {broker: partial(self.describe, broker) for broker in brokers},
            Deadline(min(self.request_timeout, self.deadline.left())),
        )
        found = {b: answer for b, answer in answers.items() if not isinstance(answer, Exception)}
        failed = {b: error_text(answer) for b, answer in answers.items() if b not in found}
        return found, failed

    def describe(self, broker: int) -> dict[str, Entry]:
        """Return all keys of one broker, read from that broker; raises KafkaError."""
        name = str(broker)
        described = self.admin.describe_configs(
            [ConfigResource("broker", name, None)], include_synonyms=True, config_filter="all"
        )["broker"][name]
        return {key: parse_entry(key, each) for key, each in described.items()}

    def change(self, steps: Sequence[Step], dry: bool) -> list[str]:
        """Apply steps, one request per broker; return messages on rejected steps.

        With ``dry`` brokers only validate the steps.
        """
        refused: dict[tuple[str, str], list[int]] = {}
        for broker in sorted({step.broker for step in steps}):
            own = [step for step in steps if step.broker == broker]
            error = self.alter(own, dry)
            if error is None:
                continue
            # The request has one error for all keys; validating each key finds the rejected ones.
            single = {step.spec: self.alter([step], dry=True) for step in own}
            named = {spec: why for spec, why in single.items() if why is not None}
            for spec, why in (named or {"; ".join(single): error}).items():
                refused.setdefault((spec, why), []).append(broker)
        return messages(refused)

    def alter(self, steps: Sequence[Step], dry: bool) -> str | None:
        """Change keys of one broker in one request; return its error, None on success."""
        name = str(steps[0].broker)
        configs = {
            step.key: ("DELETE", None) if step.value is None else ("SET", step.value)
            for step in steps
        }
        answer = self.call(
            f"changing settings of broker {name}",
            self.admin.alter_configs,
            [ConfigResource("broker", name, configs)],
            validate_only=dry,
            raise_on_unknown=False,
            incremental=True,
        )
        result = answer["broker"][name]
        return None if result == "OK" else error_message(result)

    def wait_until_effective(self, specs: Sequence[Spec]) -> list[str]:
        """Wait until brokers return the declared values; return messages on late ones.

        Raises ClusterError if a broker does not respond at the deadline.
        """
        while True:
            found, failed = self.read_brokers(spec.broker for spec in specs)
            responding = [spec for spec in specs if spec.broker in found]
            missing = [step for spec in responding for step in plan(spec, found[spec.broker]).steps]
            if not failed and not missing:
                return []
            if self.deadline.passed():
                if failed:
                    raise ClusterError(no_response(failed))
                return [f"{step}: was applied but is not effective" for step in missing]
            # Brokers apply a change with a delay, and may close connections for it, for example
            # when the number of network threads shrinks.
            time.sleep(PAUSE)


def no_response(failed: Mapping[int, str]) -> str:
    """Return a message on brokers that do not respond, from their reasons."""
    return "; ".join(
        f"broker {broker} does not respond: {failed[broker]}" for broker in sorted(failed)
    )
