# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filter that writes a Compose project."""

from __future__ import annotations

from functools import wraps
from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._declarations import compose_project


@wraps(compose_project.to_compose)
def to_compose(rendered: Any, **options: Any) -> Any:
    try:
        return compose_project.to_compose(rendered, **options)
    except compose_project.ComposeError as error:
        raise AnsibleFilterError(f"metal.kafka.to_compose: {error}") from error


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {"to_compose": to_compose}
