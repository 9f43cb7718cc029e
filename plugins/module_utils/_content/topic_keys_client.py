# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Read the keys that are set on topics."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import suppress
from functools import partial

from .._problems.config_values import Value
from .client_base import ContentConnection

# ``client.MISSING`` reports a missing library.
with suppress(ImportError):
    from kafka.admin import ConfigResource


class TopicKeysConnection(ContentConnection):
    """A connection that reads the keys of topics."""

    def read_topic_keys(
        self, names: Iterable[str], keys: Collection[str] | None = None
    ) -> dict[str, dict[str, Value]]:
        """Return the keys that are set on existing topics, by topic; one request.

        ``keys`` limits the keys that are read: a thousand topics have 34,000 of them. Then the
        result has no topic whose keys could not be read.
        """
        chosen = None if keys is None else sorted(keys)
        resources = [ConfigResource("topic", name, chosen) for name in names]
        if not resources:
            return {}
        # Given keys always include some with a default: a topic without any was not read.
        which = "modified" if keys is None else "all"
        request = partial(self.admin.describe_configs, config_filter=which)
        found = self.call("reading configs of topics", request, resources)
        return {
            name: {
                key: Value(entry["value"] or "", entry.get("config_type", "STRING"))
                for key, entry in entries.items()
                if entry["config_source"] == "DYNAMIC_TOPIC_CONFIG"
            }
            for name, entries in found["topic"].items()
            if entries or keys is None
        }
