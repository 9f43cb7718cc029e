# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Apply declared settings to all running brokers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import broker_configs, dynamic_configs, endpoints, live_keys


class Refusal(Exception):
    """Settings that are not allowed or that brokers reject, one message for each."""

    def __init__(self, messages: list[str]) -> None:
        """Store the messages as a list."""
        super().__init__("; ".join(messages))
        self.messages = messages


def parse_specs(declared: list[dict[str, Any]]) -> list[dynamic_configs.Spec]:
    """Return the specs of the module's parameters; raises PropertyError and Refusal."""
    specs = []
    for one in declared:
        fixed = sorted(key for key in one["live"] if not live_keys.is_live(key))
        if fixed:
            raise Refusal([f"broker {one['id']}: {fixed[0]} cannot be changed without a restart"])
        previous = frozenset(filter(live_keys.is_live, one["previous_live_keys"]))
        live = live_keys.live_texts(one["live"])
        specs.append(dynamic_configs.Spec(one["id"], live, previous, one["restarts"]))
    return specs


def converge(
    connection: broker_configs.BrokerConnection,
    specs: Sequence[dynamic_configs.Spec],
    read: Sequence[str],
    read_live: bool,
    allow_unreachable: bool,
    dry: bool,
) -> dict[str, Any]:
    """Read, plan, validate, apply and wait; return the module's result.

    Raises ClusterError and Refusal.
    """
    wanted = {spec.broker for spec in specs}
    brokers = wanted | (set(connection.known_brokers()) if read or read_live else set())
    found, failed = connection.read_brokers(sorted(brokers))
    if read_live:
        # Includes limits of listeners, whose names are read from the brokers.
        read = sorted(
            {*read, *(key for keys in found.values() for key in keys if live_keys.is_live(key))}
        )
    if failed and not allow_unreachable:
        raise endpoints.ClusterError(broker_configs.no_response(failed))
    specs = [spec for spec in specs if spec.broker in found]
    plans = [dynamic_configs.plan(spec, found[spec.broker]) for spec in specs]
    steps = [step for plan in plans for step in plan.steps]
    # Restarting brokers are not validated: a running broker may reject what its new file allows.
    restarting = {spec.broker for spec in specs if spec.restarts}
    refused = connection.change([step for step in steps if step.broker not in restarting], dry=True)
    if not refused and not dry and steps:
        refused = connection.change(steps, dry=False) or connection.wait_until_effective(specs)
    if refused:
        raise Refusal(refused)
    return {
        "steps": [str(step) for step in steps],
        # Every broker returns a cluster-wide value; it is reported once.
        "foreign": list(dict.fromkeys(note for plan in plans for note in plan.foreign)),
        "restart_required": [note for plan in plans for note in plan.later],
        "no_response": [f"broker {b}: {failed[b]}" for b in sorted(failed)],
        "effective": {
            key: {str(broker): keys[key].text for broker, keys in found.items() if key in keys}
            for key in read
        },
        "diff": dynamic_configs.difference(steps),
    }
