# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Wait for partition leaders in the metadata of every broker."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from .._common.deadlines import Deadline, run_in_parallel
from .._kafka.client import PAUSE
from .client_base import ContentConnection
from .topic_requests import count_leaders

# ``client.MISSING`` reports a missing library.
with suppress(ImportError):
    from kafka.protocol.metadata import MetadataRequest


class LeadersConnection(ContentConnection):
    """A connection that waits for leaders; ``timeout`` limits one request."""

    def wait_for_leaders(
        self, counts: Mapping[str, int], refused: Mapping[str, str]
    ) -> dict[str, str]:
        """Wait until every partition of each topic has a leader; ``counts`` are partitions.

        Return a message for each topic that timed out.
        """
        waiting = {name: count for name, count in counts.items() if name not in refused}
        while waiting:
            leaders = self.leaders(list(waiting))
            waiting = {name: count for name, count in waiting.items() if leaders[name] < count}
            if not waiting or self.deadline.passed():
                return {
                    name: f"{leaders[name]} of {count} partitions have a leader "
                    f"after {self.timeout:g} s"
                    for name, count in waiting.items()
                }
            time.sleep(PAUSE)
        return {}

    def leaders(self, topics: list[str]) -> dict[str, int]:
        """Return the number of partitions with a leader by topic: the lowest of all brokers.

        Brokers receive metadata one after the other, and a client may use any of them. Brokers
        that do not respond are ignored.
        """
        views = self.views(topics)
        return {
            name: min((count_leaders(view.get(name)) for view in views), default=0)
            for name in topics
        }

    def views(self, topics: list[str]) -> list[dict[str, dict[str, Any]]]:
        """Return the topics in the metadata of each broker that responds."""
        answers = run_in_parallel(
            {broker: partial(self.metadata, broker, topics) for broker in self.known_brokers()},
            Deadline(min(self.request_timeout, self.deadline.left())),
        )
        return [answer for answer in answers.values() if not isinstance(answer, Exception)]

    def metadata(self, broker: int, topics: list[str]) -> dict[str, dict[str, Any]]:
        """Return the topics in one broker's metadata; the client's own method uses any broker."""
        wanted = [MetadataRequest.MetadataRequestTopic(name=name) for name in topics]
        request = MetadataRequest(
            topics=wanted,
            allow_auto_topic_creation=False,
            include_cluster_authorized_operations=False,
            include_topic_authorized_operations=False,
        )
        manager = self.admin._manager
        answer = manager.run(manager.send, request, broker).to_dict()
        return {topic["name"]: topic for topic in answer["topics"] if not topic["error_code"]}
