#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: broker_config
short_description: Settings that running brokers take without a restart are as declared
description:
  - Reads the keys of all brokers in one round trip and sets those that differ from the declaration,
    on each broker, with IncrementalAlterConfigs. Every step is judged by its broker before the
    first one is done, so a wrong value changes nothing. Waits until the new values are in force.
  - A key that was declared before and is no longer goes back to what a broker has that starts
    without it.
  - A value that somebody set at run time and that is not declared is named in RV(foreign) and left
    alone. One that merely repeats the default is dropped, which changes nothing in force.
extends_documentation_fragment: [metal.kafka.client]
options:
  brokers:
    description: What is declared for each broker.
    type: list
    elements: dict
    default: []
    suboptions:
      id:
        description: Number of the broker.
        type: int
        required: true
      live:
        description: Keys and values; only those that Kafka can change live, see docs/reference/settings.md.
        type: dict
        default: {}
      previous_live_keys:
        description: Keys that were declared before; those not in O(brokers[].live) are taken back.
        type: list
        elements: str
        default: []
      restarts:
        description: In check mode, that the broker would start anew, which gives it its file.
        type: bool
        default: false
  read:
    description: Keys whose values in force are returned for every registered broker.
    type: list
    elements: str
    default: []
  read_live:
    description: Reads every key that Kafka changes live, too.
    type: bool
    default: false
  allow_unreachable:
    description: Whether brokers that do not answer are passed over, as before their first start.
    type: bool
    default: false
  timeout:
    description: Seconds until values have to be in force.
    type: float
    default: 20
attributes:
  check_mode:
    description: The brokers judge every step and nothing is changed.
    support: full
  diff_mode:
    description: Shows the keys that change, by broker.
    support: full
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Settings of running brokers are as declared
  metal.kafka.broker_config:
    bootstrap_servers: [kafka1:9092, kafka2:9092]
    brokers:
      - {id: 1, live: {num.io.threads: 16}, previous_live_keys: [log.retention.ms]}
      - {id: 2, live: {num.io.threads: 16}}

- name: Version of the protocol between brokers is known
  metal.kafka.broker_config:
    bootstrap_servers: [kafka1:9092]
    read: [inter.broker.protocol.version]
"""

RETURN = r"""
steps:
  description: What was done, or in check mode would be, one message for each step.
  type: list
  elements: str
  returned: success
  sample: ["broker 1: num.io.threads 8 -> 16, no restart"]
foreign:
  description: Messages on values that were set at run time and are not declared.
  type: list
  elements: str
  returned: success
  sample: ["broker 2: log.cleaner.threads = 2 was set at run time and is not declared"]
later:
  description: Messages on keys that only the next restart can change.
  type: list
  elements: str
  returned: success
silent:
  description: Messages on brokers that were passed over.
  type: list
  elements: str
  returned: success
in_force:
  description: >-
    For each key in O(read), and with O(read_live) for each live key, the values in force by the id
    of the broker, as text.
  type: dict
  returned: success
  sample: {"inter.broker.protocol.version": {"1": "3.9-IV0"}}
errors:
  description: One message for each step that was refused, with broker, key, value and reason.
  type: list
  elements: str
  returned: failure
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ..module_utils._common import properties_file
from ..module_utils._kafka import (
    broker_configs,
    client,
    client_options,
    endpoints,
    live_changes,
)

NOTHING: dict[str, Any] = {"steps": [], "foreign": [], "later": [], "in_force": {}}


def main() -> None:
    """Bring the brokers to what is declared."""
    module = AnsibleModule(
        argument_spec={
            **client_options.ARGUMENTS,
            "brokers": {
                "type": "list",
                "elements": "dict",
                "default": [],
                "options": {
                    "id": {"type": "int", "required": True},
                    "live": {"type": "dict", "default": {}},
                    "previous_live_keys": {
                        "type": "list",
                        "elements": "str",
                        "default": [],
                        "no_log": False,
                    },
                    "restarts": {"type": "bool", "default": False},
                },
            },
            "read": {"type": "list", "elements": "str", "default": []},
            "read_live": {"type": "bool", "default": False},
            "allow_unreachable": {"type": "bool", "default": False},
            "timeout": {"type": "float", "default": 20},
        },
        supports_check_mode=True,
    )
    spec = client_options.spec_of(module)
    lenient = spec["allow_unreachable"]
    if client.MISSING:
        # A host on which nothing has been prepared yet: nothing runs there either.
        if lenient:
            module.exit_json(changed=False, silent=[client.MISSING], **NOTHING)
        module.fail_json(msg=missing_required_lib("kafka-python"), exception=client.MISSING)
    try:
        specs = live_changes.specs_of(spec["brokers"])
        connection = broker_configs.BrokerConnection(
            spec["bootstrap_servers"], spec["client_config"], spec["timeout"]
        )
    except endpoints.ClusterError as error:
        if lenient:
            module.exit_json(changed=False, silent=[str(error)], **NOTHING)
        module.fail_json(msg=f"broker_config: {error}", errors=[str(error)])
    except (properties_file.PropertyError, live_changes.Refusal) as error:
        module.fail_json(msg=f"broker_config: {error}", errors=[str(error)])
    try:
        with connection:
            found = live_changes.converge(
                connection, specs, spec["read"], spec["read_live"], lenient, module.check_mode
            )
    except live_changes.Refusal as error:
        module.fail_json(msg=str(error), errors=error.messages)
    except endpoints.ClusterError as error:
        module.fail_json(msg=f"broker_config: {error}", errors=[str(error)])
    module.exit_json(changed=bool(found["steps"]), **found)


if __name__ == "__main__":
    main()
