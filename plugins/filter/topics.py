# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filter that reads declarations of topics."""

from __future__ import annotations

from ansible.errors import AnsibleFilterError
from ansible_collections.metal.kafka.plugins.module_utils import service, wishes


def topic_wishes(declarations, defaults=None, pattern=""):
    try:
        return wishes.topic_wishes(service.plain(declarations), service.plain(defaults), pattern)
    except wishes.WishError as error:
        raise AnsibleFilterError(f"metal.kafka.topic_wishes: {error}") from None


class FilterModule:
    def filters(self):
        return {"topic_wishes": topic_wishes}
