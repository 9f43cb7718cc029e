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


def phase_words(phase):
    """What a phase means to what is derived from it, in plain types."""
    at = closing.PHASES[phase]
    return {
        "doors": at.doors,
        "open": at.open,
        "asks": at.asks,
        "door": at.clients_door,
        "owned": at.owned,
    }


def way(brokers, name, step):
    """Where listener ``name``, or the door of that name, of each broker is reached.

    ``brokers`` have ``listeners`` by name, the first ones.
    """
    first = name.removesuffix(closing.DOOR)
    above = 0 if first == name else int(step)
    at = [broker["listeners"][first] for broker in brokers]
    return [f"{each['advertise']}:{int(each['port']) + above}" for each in at]


def shown(brokers, mode, phase, step, names):
    """Where brokers show a certificate, each as host and port.

    ``names`` are the first listeners of clients and among brokers.
    """
    found = []
    for broker in brokers:
        every = {**broker["listeners"], **closing.doors(broker["listeners"], phase, step)}
        spoken = closing.protocols(mode, phase, broker["listeners"], *names)
        found += [
            {"host": at["advertise"], "port": int(at["port"])}
            for name, at in every.items()
            if spoken[name].endswith("SSL")
        ]
    return found


def ports(listeners, which, step):
    """Numbers of the ports of ``listeners``, or of the doors beside them."""
    above = int(step) if which == "doors" else 0
    return [int(at["port"]) + above for at in listeners.values()]


FILTERS = {
    "closing_among_brokers": closing.among_brokers,
    "closing_doors": closing.doors,
    "closing_found": closing.found,
    "closing_obstacle": closing.obstacle,
    "closing_of_clients": closing.of_clients,
    "closing_of_operator": closing.of_operator,
    "closing_ports": ports,
    "closing_phase": closing.phase_of_goal,
    "closing_phase_words": phase_words,
    "closing_protocols": closing.protocols,
    "closing_shown": shown,
    "closing_super_users": closing.further_super_users,
    "closing_to_do": closing.to_do,
    "closing_way": way,
}


class FilterModule:
    def filters(self):
        return {name: refusing(name, function) for name, function in FILTERS.items()}
