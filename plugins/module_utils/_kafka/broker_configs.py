# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Settings of running brokers over the wire: read side by side, judged, changed, waited for."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from .._common.deadlines import Deadline, side_by_side
from .client import PAUSE, Connection
from .dynamic_configs import DEFAULT, FROM_FILE, ON_BROKER, ON_CLUSTER, Entry, Spec, Step, plan
from .endpoints import ClusterError, words_of

# ``client`` says that the library is missing.
with suppress(ImportError):
    from kafka.admin import ConfigResource

SOURCES = (ON_BROKER, ON_CLUSTER, FROM_FILE, DEFAULT)
Entries = Mapping[str, Entry]


def entry_of(key: str, told: Mapping[str, Any]) -> Entry:
    """A key as the client library tells it.

    Kafka lists further keys that stand in for this one; only its own values count here.
    """
    levels = {
        one["source"]: one["value"]
        for one in told.get("synonyms") or ()
        if one["name"] == key and one["source"] in SOURCES and one["value"] is not None
    }
    return Entry(
        text=told["value"],
        kind=told.get("config_type", "STRING"),
        levels=levels,
        fixed=bool(told["read_only"]),
    )


# What stands around Kafka's reason: the client's number and name of the error, names of classes.
WRAPPING = re.compile(
    r"^.*?Error: |Invalid value (?=\S+Exception)|[\w.]+Exception: "
    r"| for configuration Invalid dynamic configuration$"
)


def reason(said: str) -> str:
    """Kafka's own sentence in a refusal."""
    return WRAPPING.sub("", said).strip() or said


def messages(refused: Mapping[tuple[str, str], Sequence[int]]) -> list[str]:
    """One message for each refusal, whose key is what was declared and the reason."""
    return [
        f"{spec} is refused by broker {', '.join(map(str, brokers))}: {why}"
        for (spec, why), brokers in refused.items()
    ]


class BrokerConnection(Connection):
    """A connection that reads and changes settings of brokers while they run."""

    def read_brokers(
        self, brokers: Iterable[int]
    ) -> tuple[dict[int, dict[str, Entry]], dict[int, str]]:
        """All keys of each broker, and the brokers that did not answer with the reason."""
        answers = side_by_side(
            {broker: partial(self.describe, broker) for broker in brokers},
            Deadline(min(self.request_timeout, self.deadline.left())),
        )
        found = {b: answer for b, answer in answers.items() if not isinstance(answer, Exception)}
        silent = {b: words_of(answer) for b, answer in answers.items() if b not in found}
        return found, silent

    def describe(self, broker: int) -> dict[str, Entry]:
        """All keys of one broker, asked of itself; raises KafkaError."""
        name = str(broker)
        told = self.admin.describe_configs(
            [ConfigResource("broker", name, None)], include_synonyms=True, config_filter="all"
        )["broker"][name]
        return {key: entry_of(key, what) for key, what in told.items()}

    def change(self, steps: Sequence[Step], dry: bool) -> list[str]:
        """Carry out steps, each broker's at once; messages on what was refused.

        With ``dry`` the brokers judge the steps and nothing changes.
        """
        refused: dict[tuple[str, str], list[int]] = {}
        for broker in sorted({step.broker for step in steps}):
            own = [step for step in steps if step.broker == broker]
            said = self.alter(own, dry)
            if said is None:
                continue
            # One answer for all keys: asked one by one, each key gets its own.
            single = {step.spec: self.alter([step], dry=True) for step in own}
            named = {spec: why for spec, why in single.items() if why is not None}
            for spec, why in (named or {"; ".join(single): said}).items():
                refused.setdefault((spec, why), []).append(broker)
        return messages(refused)

    def alter(self, steps: Sequence[Step], dry: bool) -> str | None:
        """Change keys of one broker in one request; its refusal, None when it agrees."""
        name = str(steps[0].broker)
        configs = {
            step.key: ("DELETE", None) if step.value is None else ("SET", step.value)
            for step in steps
        }
        answer = self.ask(
            f"change of broker {name}",
            self.admin.alter_configs,
            [ConfigResource("broker", name, configs)],
            validate_only=dry,
            raise_on_unknown=False,
            incremental=True,
        )
        said = answer["broker"][name]
        return None if said == "OK" else reason(said)

    def wait_until_in_force(self, specs: Sequence[Spec]) -> list[str]:
        """Wait until the brokers tell what was declared; what is missing when time runs out."""
        while True:
            found, silent = self.read_brokers(spec.broker for spec in specs)
            heard = [spec for spec in specs if spec.broker in found]
            missing = [step for spec in heard for step in plan(spec, found[spec.broker]).steps]
            if not silent and not missing:
                return []
            if self.deadline.passed():
                if silent:
                    raise ClusterError(silence(silent))
                return [f"{step}: was done and is not in force" for step in missing]
            # A broker learns of its change by its metadata, a moment later, and may have closed
            # connections for it: fewer network threads serve fewer.
            time.sleep(PAUSE)


def silence(silent: Mapping[int, str]) -> str:
    """A sentence on brokers that do not answer."""
    return "; ".join(
        f"broker {broker} does not answer: {silent[broker]}" for broker in sorted(silent)
    )
