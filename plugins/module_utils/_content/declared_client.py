# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Compare the topics and quotas of a cluster with their declaration."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from .._kafka.cluster import ClusterConnection
from .._kafka.endpoints import ClusterError
from .._kafka.snapshot import Cluster, Partition
from .._problems import content_problems
from .._problems.content_problems import TopicState
from .._problems.messages import shorten_list
from .._problems.platform_problem import Problem
from .quota_client import QuotaConnection
from .quota_problems import quota_problems
from .quotas import parse_specs
from .topic_keys_client import TopicKeysConnection


class DeclaredConnection(ClusterConnection, QuotaConnection, TopicKeysConnection):
    """A connection that reads the state of a cluster, and what differs from a declaration."""

    def read_content(
        self, cluster: Cluster, declared: Mapping[str, Any]
    ) -> tuple[list[Problem], list[str]]:
        """Return the problems of declared content, and messages on requests that failed.

        ``declared`` is a declaration as in ``content_problems``, with ``users`` (by name,
        instances that use it) and ``quotas`` (as in the module quotas). Two requests.
        """
        found: list[Problem] = []
        unread: list[str] = []
        for read in (
            partial(self._topic_problems, cluster, declared.get("topics") or {}, unread),
            partial(self._quota_problems, declared),
        ):
            try:
                found += read()
            except ClusterError as error:
                unread.append(str(error))
        # Together: two equal numbers of further differences would be listed as one.
        return content_problems.shortened(found), unread

    def _topic_problems(
        self, cluster: Cluster, specs: Mapping[str, Any], messages: list[str]
    ) -> list[Problem]:
        """Return the problems of topics, and add topics that cannot be read to ``messages``."""
        partitions: dict[str, list[Partition]] = {}
        for each in cluster.partitions:
            if each.topic in specs:
                partitions.setdefault(each.topic, []).append(each)
        keys = self.read_topic_keys(sorted(partitions), content_problems.keys_to_read(specs))
        states = {
            name: TopicState(len(every), min(len(each.replicas) for each in every), keys[name])
            for name, every in partitions.items()
            if name in keys
        }
        # Access may be denied, or the topic was deleted since.
        unread = partitions.keys() - keys.keys()
        if unread:
            messages.append(f"configs of topics cannot be read: {shorten_list(sorted(unread))}")
        return [
            problem
            for name, spec in sorted(specs.items())
            if name not in unread
            for problem in content_problems.topic_problems(name, spec, states.get(name))
        ]

    def _quota_problems(self, declared: Mapping[str, Any]) -> list[Problem]:
        specs = parse_specs({"quotas": declared.get("quotas")})
        return quota_problems(self.read_quotas(), specs, declared.get("users") or {})
