# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Keys of running brokers are brought to what is declared, all brokers in one go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import broker_configs, dynamic_configs, endpoints, live_keys


class Refusal(Exception):
    """What was refused; ``messages`` says each."""

    def __init__(self, messages: list[str]) -> None:
        """Keep the messages apart, for a list of them."""
        super().__init__("; ".join(messages))
        self.messages = messages


def specs_of(declared: list[dict[str, Any]]) -> list[dynamic_configs.Spec]:
    """Specs from the parameters of the module; raises PropertyError and Refusal."""
    specs = []
    for one in declared:
        fixed = sorted(key for key in one["live"] if not live_keys.is_live(key))
        if fixed:
            raise Refusal([f"broker {one['id']}: {fixed[0]} is no key that Kafka changes live"])
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
    """Read, plan, have it judged, apply, wait; the result of the module.

    Raises ClusterError and Refusal.
    """
    wanted = {spec.broker for spec in specs}
    asked = wanted | (set(connection.known_brokers()) if read or read_live else set())
    found, silent = connection.read_brokers(sorted(asked))
    if read_live:
        # Limits of listeners too, whose names only the brokers know.
        read = sorted(
            {*read, *(key for keys in found.values() for key in keys if live_keys.is_live(key))}
        )
    if silent and not allow_unreachable:
        raise endpoints.ClusterError(broker_configs.silence(silent))
    specs = [spec for spec in specs if spec.broker in found]
    plans = [dynamic_configs.plan(spec, found[spec.broker]) for spec in specs]
    steps = [step for plan in plans for step in plan.steps]
    # A broker that starts anew takes from its file what a running one would refuse.
    anew = {spec.broker for spec in specs if spec.restarts}
    refused = connection.change([step for step in steps if step.broker not in anew], dry=True)
    if not refused and not dry and steps:
        refused = connection.change(steps, dry=False) or connection.wait_until_in_force(specs)
    if refused:
        raise Refusal(refused)
    return {
        "steps": [str(step) for step in steps],
        # A value for the whole cluster is told by every broker, and said once.
        "foreign": list(dict.fromkeys(note for plan in plans for note in plan.foreign)),
        "later": [note for plan in plans for note in plan.later],
        "silent": [f"broker {b}: {silent[b]}" for b in sorted(silent)],
        "in_force": {
            key: {str(broker): keys[key].text for broker, keys in found.items() if key in keys}
            for key in read
        },
        "diff": dynamic_configs.difference(steps),
    }
