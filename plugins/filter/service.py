# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters for the declaration of a container."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._catalogue import container_users
from ..plugin_utils._declarations.container_diff import declaration_differences, service_state
from ..plugin_utils._declarations.service_data import (
    container_paths,
    format_ulimit,
    labelled_container,
    service_hash,
)


def container_user(service: str, own: Mapping[str, Any] | None = None) -> dict[str, int]:
    """User and group of a service's containers and of their files."""
    try:
        return container_users.container_user(service, own)
    except container_users.UserError as error:
        raise AnsibleFilterError(f"container_user: {error}") from error


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {
            "container_paths": container_paths,
            "container_user": container_user,
            "declaration_differences": declaration_differences,
            "labelled_container": labelled_container,
            "service_hash": service_hash,
            "service_state": service_state,
            "ulimit": format_ulimit,
        }
