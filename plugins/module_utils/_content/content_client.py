# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Everything that is in a cluster beside its records, in a few requests."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from .._kafka.endpoints import ClusterError
from .acl_client import AclConnection
from .acls import fields_of
from .quota_client import QuotaConnection
from .topic_client import TopicConnection
from .topics import KAFKAS_OWN
from .user_client import UserConnection

KINDS = ("topics", "users", "acls", "quotas")


class Everything(AclConnection, QuotaConnection, UserConnection, TopicConnection):
    """A connection that reads and changes all kinds of content."""

    def read(self, kinds: Collection[str]) -> dict[str, Any]:
        """Content by kind in plain types, and messages on what the cluster does not tell.

        Some is not told to everybody, and clusters without an authorizer have no ACLs.
        """
        found: dict[str, Any] = {"topics": {}, "users": {}, "acls": [], "quotas": [], "unread": []}
        for kind in KINDS:
            if kind not in kinds:
                continue
            try:
                found[kind] = getattr(self, f"tell_{kind}")()
            except ClusterError as error:
                found["unread"].append(str(error))
        return found

    def tell_topics(self) -> dict[str, Any]:
        """Topics that are not Kafka's own, with the keys that are set on them."""
        names = [topic["name"] for topic in self.describe_topics()]
        ours = [name for name in names if not name.startswith(KAFKAS_OWN)]
        return {
            name: {
                "partitions": topic.partitions,
                "replicas": sorted(topic.replicas),
                "placement": [list(brokers) for brokers in topic.placement],
                "config": {key: topic.config[key].text for key in sorted(topic.config)},
            }
            for name, topic in sorted(self.read_topics(ours).items())
        }

    def tell_users(self) -> dict[str, Any]:
        """Iterations by user and mechanism."""
        return dict(sorted(self.read_users().items()))

    def tell_acls(self) -> list[dict[str, str]]:
        """ACLs as plain fields."""
        return [fields_of(acl) for acl in sorted(self.read_acls())]

    def tell_quotas(self) -> list[dict[str, Any]]:
        """Quotas with whom they are for."""
        return [
            {
                **{key: name for key in ("user", "client", "ip") if (name := getattr(entity, key))},
                "values": values,
            }
            for entity, values in sorted(self.read_quotas().items())
        ]
