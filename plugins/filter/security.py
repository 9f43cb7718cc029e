# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters for users, client options and logins."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ansible.errors import AnsibleFilterError

from ..module_utils._common import web_login
from ..plugin_utils._declarations.service_data import to_builtin
from ..plugin_utils._security import client_security, service_accounts
from ..plugin_utils._security.security_modes import SecurityError


def as_filter(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` with plain types as arguments; SecurityError becomes Ansible's error."""

    @wraps(function)
    def guarded(*args: Any, **keys: Any) -> Any:
        try:
            return function(*map(to_builtin, args), **{key: to_builtin(keys[key]) for key in keys})
        except SecurityError as error:
            raise AnsibleFilterError(f"metal.kafka.{function.__name__}: {error}") from error

    return guarded


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {
            "all_users": as_filter(service_accounts.merge_accounts),
            "java_client_options": as_filter(client_security.client_options),
            "librdkafka_options": as_filter(client_security.librdkafka_options),
            "basic_login": web_login.basic_credentials,
        }
