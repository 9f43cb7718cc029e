# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters over the word of a site for its security, and over who needs a certificate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible.errors import AnsibleFilterError

from ..module_utils._common import web_login
from ..plugin_utils._declarations.service_data import plain
from ..plugin_utils._security import certificate_names, security_modes, service_accounts


def refusing(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` with its complaint as Ansible's."""

    def guarded(*args: Any, **keys: Any) -> Any:
        try:
            return function(*map(plain, args), **{key: plain(keys[key]) for key in keys})
        except security_modes.SecurityError as error:
            raise AnsibleFilterError(f"metal.kafka.{function.__name__}: {error}") from error

    return guarded


def words_of(name: Any) -> dict[str, Any]:
    """What a mode means, in plain types."""
    mode = security_modes.mode_of(name)
    return {
        "tls": mode.tls,
        "passwords": mode.passwords,
        "closed": mode.closed,
        "clients": mode.clients,
    }


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {
            "programs": service_accounts.programs,
            "users_together": refusing(service_accounts.together),
            "without_passwords": service_accounts.without_passwords,
            "broker_certificates": certificate_names.of_brokers,
            "server_certificates": certificate_names.of_servers,
            "master_certificates": certificate_names.of_masters,
            "proxy_certificates": certificate_names.of_proxies,
            "user_certificates": certificate_names.of_users,
            "client_files": refusing(security_modes.client_files),
            "client_options": refusing(security_modes.client_options),
            "kafka_python_settings": refusing(security_modes.kafka_python_settings),
            "librdkafka_options": refusing(security_modes.librdkafka_options),
            "with_time_limits": security_modes.with_time_limits,
            "broker_security": refusing(security_modes.broker_properties),
            "spark_security": security_modes.spark_properties,
            "spark_page_word": web_login.basic,
            "spark_page_login": web_login.curl_options,
            "security_mode": refusing(words_of),
        }
