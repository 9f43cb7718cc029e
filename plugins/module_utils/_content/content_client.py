# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Read all content of a cluster except its records, in a few requests."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from .._kafka.endpoints import ClusterError
from .acl_client import AclConnection
from .acls import acl_fields
from .quota_client import QuotaConnection
from .topic_client import TopicConnection
from .topics import INTERNAL_PREFIX
from .user_client import UserConnection

KINDS = ("topics", "users", "acls", "quotas")


class AllContentConnection(AclConnection, QuotaConnection, UserConnection, TopicConnection):
    """A connection that reads and changes all kinds of content."""

    def read(self, kinds: Collection[str]) -> dict[str, Any]:
        """Return content by kind in plain types, and under ``unread`` the failed requests.

        A request can fail for lack of an ACL, or because the cluster has no authorizer.
        """
        found: dict[str, Any] = {"topics": {}, "users": {}, "acls": [], "quotas": [], "unread": []}
        for kind in KINDS:
            if kind not in kinds:
                continue
            try:
                found[kind] = getattr(self, f"export_{kind}")()
            except ClusterError as error:
                found["unread"].append(str(error))
        return found

    def export_topics(self) -> dict[str, Any]:
        """Return all topics except Kafka's internal ones, with the keys set on them."""
        names = [topic["name"] for topic in self.describe_topics()]
        ours = [name for name in names if not name.startswith(INTERNAL_PREFIX)]
        return {
            name: {
                "partitions": topic.partitions,
                "replicas": sorted(topic.replicas),
                "placement": [list(brokers) for brokers in topic.placement],
                "config": {key: topic.config[key].text for key in sorted(topic.config)},
            }
            for name, topic in sorted(self.read_topics(ours).items())
        }

    def export_users(self) -> dict[str, Any]:
        """Return the iterations by user and mechanism."""
        return dict(sorted(self.read_users().items()))

    def export_acls(self) -> list[dict[str, str]]:
        """Return all ACLs as plain fields."""
        return [acl_fields(acl) for acl in sorted(self.read_acls())]

    def export_quotas(self) -> list[dict[str, Any]]:
        """Return all quotas, each with its entity and values."""
        return [
            {
                **{key: name for key in ("user", "client", "ip") if (name := getattr(entity, key))},
                "values": values,
            }
            for entity, values in sorted(self.read_quotas().items())
        ]
