# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters over the word of a site for its security, and over who needs a certificate."""

from __future__ import annotations

from ansible.errors import AnsibleFilterError
from ansible_collections.metal.kafka.plugins.module_utils import (
    programs,
    security,
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


class FilterModule:
    def filters(self):
        return {
            "users_together": refusing(programs.together),
            "librdkafka_options": refusing(security.librdkafka_options),
            "spark_page_word": security.page_word,
        }
