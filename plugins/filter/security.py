# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters over the word of a site for its security, and over who needs a certificate."""

from __future__ import annotations

from ansible.errors import AnsibleFilterError
from ansible_collections.metal.kafka.plugins.module_utils import (
    certificates,
    programs,
    security,
    web_login,
)
from ansible_collections.metal.kafka.plugins.module_utils.service import plain


def refusing(function):
    """``function`` with its complaint as Ansible's."""

    def guarded(*args, **keys):
        try:
            return function(*map(plain, args), **{key: plain(keys[key]) for key in keys})
        except security.SecurityError as error:
            raise AnsibleFilterError(f"metal.kafka.{function.__name__}: {error}") from error

    return guarded


def words_of(name):
    """What a mode means, in plain types."""
    mode = security.mode_of(name)
    return {
        "tls": mode.tls,
        "passwords": mode.passwords,
        "closed": mode.closed,
        "clients": mode.clients,
    }


class FilterModule:
    def filters(self):
        return {
            "programs": programs.programs,
            "users_together": refusing(programs.together),
            "without_passwords": programs.without_passwords,
            "broker_certificates": certificates.of_brokers,
            "server_certificates": certificates.of_servers,
            "master_certificates": certificates.of_masters,
            "proxy_certificates": certificates.of_proxies,
            "user_certificates": certificates.of_users,
            "client_files": refusing(security.client_files),
            "client_options": refusing(security.client_options),
            "kafka_python_settings": refusing(security.kafka_python_settings),
            "librdkafka_options": refusing(security.librdkafka_options),
            "with_time_limits": security.with_time_limits,
            "broker_security": refusing(security.broker_properties),
            "spark_security": security.spark_properties,
            "spark_page_word": web_login.basic,
            "spark_page_login": web_login.curl_options,
            "security_mode": refusing(words_of),
        }
