# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filter that writes a Compose project."""

from __future__ import annotations

from ansible.errors import AnsibleFilterError
from ansible_collections.metal.kafka.plugins.module_utils import compose


def to_compose(rendered, **options):
    try:
        return compose.to_compose(rendered, **options)
    except compose.ComposeError as error:
        raise AnsibleFilterError(f"metal.kafka.to_compose: {error}") from error


class FilterModule:
    def filters(self):
        return {"to_compose": to_compose}
