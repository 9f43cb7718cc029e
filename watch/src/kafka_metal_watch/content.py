"""Compare declared topics with the cluster, a part of them at each read.

librdkafka cannot describe quotas of clients: `make status` compares them.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from confluent_kafka import KafkaException

from ._problems import content_problems
from ._problems.content_problems import TopicState
from ._problems.platform_problem import Problem
from .cluster import Cluster
from .items import Items, reason
from .overview import Overview, Topic

# Topics whose settings are read at once. A broker returns all of about 35 settings of a topic, so a
# read of each topic would cost more than all other reads. Others follow at the next reads, and
# the result of each topic is kept until then: 1,000 topics are compared within 10 intervals.
PER_READ = 100

# The name of topics whose settings could not be read. Their number and the first one are in the
# reason: a name that changes would end an alert and start another.
UNREAD = "of some declared topics"

Specs = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Content:
    """Problems of declared topics, and the number of these topics."""

    problems: tuple[Problem, ...] = ()
    topics: int = 0


class ContentReader:
    """Problems of declared topics that two consecutive reads of a topic have found.

    One read is not enough: a broker that has just started may not know all topics yet, and a run
    changes topics before it writes their declaration.
    """

    def __init__(self, cluster: Cluster, folder: str, name: str) -> None:
        """``folder`` has the declaration of the cluster ``name``; empty: nothing is compared."""
        self._cluster = cluster
        self._path = Path(folder) / content_problems.FILE.format(cluster=name) if folder else None
        self._text = ""
        self._specs: Specs | None = None
        self._position = 0
        # Problems of the last read, and those that the read before has found, too, by topic.
        self._last: dict[str, list[Problem]] = {}
        self._lasting: dict[str, list[Problem]] = {}
        # Why the declaration could not be read, and topics at their last read, by name.
        self._unread_declaration = ""
        self._unread_topics: dict[str, str] = {}

    @property
    def unread(self) -> dict[tuple[str, str], str]:
        """Reasons of what could not be read, by kind and name."""
        found = {}
        if self._unread_declaration:
            found["declaration", str(self._path)] = self._unread_declaration
        if self._unread_topics:
            name, why = min(self._unread_topics.items())
            text = f"{len(self._unread_topics)} of them, first {name}: {why}"
            found["topic settings", UNREAD] = text
        return found

    def read(self, seen: Overview) -> Content | None:
        """Return the problems of all declared topics; None without a declaration.

        ``seen`` has the topics of the cluster.
        """
        specs = self._declared()
        if specs is None:
            self._unread_topics = {}
            return None
        existing = {each.name: each for each in seen.topics if each.name in specs}
        for name in self._unread_topics.keys() - existing.keys():
            del self._unread_topics[name]
        for name in specs.keys() - existing.keys():
            self._note(name, content_problems.topic_problems(name, specs[name], None))
        # A topic without partitions could not be described.
        described = sorted(name for name, each in existing.items() if each.partitions)
        keys = self._keys(self._next(described))
        for name, config in keys.found.items():
            state = _state(existing[name], config)
            self._note(name, content_problems.topic_problems(name, specs[name], state))
        found = {name: self._lasting[name] for name in sorted(self._lasting) if self._lasting[name]}
        every = content_problems.shortened(each for own in found.values() for each in own)
        return Content(tuple(every), len(found))

    def _declared(self) -> Specs | None:
        """Return the declared topics; earlier results of changed declarations are discarded."""
        self._unread_declaration = ""
        try:
            text = self._path.read_text(encoding="utf-8") if self._path else ""
            if text != self._text:
                before, specs = self._specs or {}, _parse(text) if text else {}
                self._keep({name for name, spec in specs.items() if before.get(name) == spec})
                self._text, self._specs = text, specs if text else None
        except FileNotFoundError:
            self._text, self._specs = "", None
            self._keep(set())
        except (OSError, ValueError) as error:
            self._text, self._specs = "", None
            self._unread_declaration = reason(error)
        return self._specs

    def _keep(self, names: set[str]) -> None:
        """Discard the results of all topics except ``names``."""
        self._last = {name: self._last[name] for name in self._last.keys() & names}
        self._lasting = {name: self._lasting[name] for name in self._lasting.keys() & names}

    def _next(self, names: list[str]) -> list[str]:
        """Return the next PER_READ of ``names``, from the first again after the last."""
        start = self._position if self._position < len(names) else 0
        chosen = (names[start:] + names[:start])[:PER_READ]
        self._position = (start + len(chosen)) % max(1, len(names))
        return chosen

    def _keys(self, names: Collection[str]) -> Items[str, Any]:
        """Return the keys that are set on topics, and note which could not be read."""
        try:
            items = self._cluster.topic_keys(names)
        except KafkaException as error:
            items = Items(unread=dict.fromkeys(names, reason(error)))
        for name in names:
            self._unread_topics.pop(name, None)
        self._unread_topics |= items.unread
        return items

    def _note(self, name: str, found: list[Problem]) -> None:
        """Store the result of a topic, and keep what the read before has found, too."""
        before = self._last.get(name, [])
        self._lasting[name] = [each for each in found if each in before]
        self._last[name] = found


def _parse(text: str) -> Specs:
    """Return the topics of a declaration; ValueError if it has another structure."""
    try:
        specs = json.loads(text)["topics"]
        return {
            str(name): {
                **{key: spec.get(key) for key in ("partitions", "replicas")},
                "config": dict(spec["config"]),
                "defaults": list(spec["defaults"]),
                "affects": list(spec.get("affects") or ()),
            }
            for name, spec in specs.items()
        }
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"found no declaration of topics: {error!r}") from error


def _state(topic: Topic, config: Mapping[str, Any]) -> TopicState:
    """Return a topic in the form of the rules."""
    return TopicState(topic.partitions, topic.least_replicas, config)
