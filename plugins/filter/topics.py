# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filter that reads declarations of topics."""

from __future__ import annotations

from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._declarations import declaration_reader, declared_topics, service_data


def topic_wishes(declarations: Any, defaults: Any = None, pattern: Any = "") -> Any:
    try:
        return declared_topics.topic_wishes(
            service_data.plain(declarations), service_data.plain(defaults), pattern
        )
    except declaration_reader.DeclarationError as error:
        raise AnsibleFilterError(f"metal.kafka.topic_wishes: {error}") from None


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {"topic_wishes": topic_wishes}
