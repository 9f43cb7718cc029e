# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters over the phases in which a cluster that runs is closed."""

from ansible.errors import AnsibleFilterError
from ansible_collections.metal.kafka.plugins.module_utils import closing
from ansible_collections.metal.kafka.plugins.module_utils.security import SecurityError
from ansible_collections.metal.kafka.plugins.module_utils.service import plain


def refusing(name, function):
    """``function`` over plain types, with its complaint as Ansible's."""

    def guarded(*args):
        try:
            return function(*map(plain, args))
        except SecurityError as error:
            raise AnsibleFilterError(f"metal.kafka.{name}: {error}") from error

    return guarded


def ports(listeners, which, step):
    """Numbers of the ports of ``listeners``, or of the doors beside them."""
    above = int(step) if which == "doors" else 0
    return [int(at["port"]) + above for at in listeners.values()]


FILTERS = {
    "closing_found": closing.found,
    "closing_obstacle": closing.obstacle,
    "closing_ports": ports,
    "closing_to_do": closing.to_do,
}


class FilterModule:
    def filters(self):
        return {name: refusing(name, function) for name, function in FILTERS.items()}
