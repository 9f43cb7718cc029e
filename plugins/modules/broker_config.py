#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: broker_config
short_description: Dynamic broker settings are as declared
description:
  - Reads the keys of all brokers in parallel, and sets different ones on each broker with
    IncrementalAlterConfigs. Brokers validate every step before the first one is applied, so a
    wrong value changes nothing. Waits until the new values are effective.
  - A key that is no longer declared returns to the value of a new broker without it.
  - An undeclared dynamic value is reported in RV(foreign) and kept. One that equals the default is
    removed, which does not change the effective value.
extends_documentation_fragment: [metal.kafka.client]
options:
  brokers:
    description: Declared settings of each broker.
    type: list
    elements: dict
    default: []
    suboptions:
      id:
        description: Id of the broker.
        type: int
        required: true
      live:
        description: >-
          Keys and values; only keys that Kafka changes without a restart, see
          docs/reference/settings.md.
        type: dict
        default: {}
      previous_live_keys:
        description: Keys that were declared before; those not in O(brokers[].live) are reset.
        type: list
        elements: str
        default: []
      restarts:
        description: In check mode, whether the broker would restart, and so apply its file.
        type: bool
        default: false
  read:
    description: Keys to return with their effective values, for every registered broker.
    type: list
    elements: str
    default: []
  read_live:
    description: Whether to also return every key that Kafka changes without a restart.
    type: bool
    default: false
  allow_unreachable:
    description: Whether to skip brokers that do not respond, for example before their first start.
    type: bool
    default: false
  timeout:
    description: Time limit in seconds until values are effective.
    type: float
    default: 20
attributes:
  check_mode:
    description: Brokers validate every step and nothing is changed.
    support: full
  diff_mode:
    description: Shows changed keys by broker.
    support: full
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Apply dynamic settings of running brokers
  metal.kafka.broker_config:
    bootstrap_servers: [kafka1:9092, kafka2:9092]
    brokers:
      - {id: 1, live: {num.io.threads: 16}, previous_live_keys: [log.retention.ms]}
      - {id: 2, live: {num.io.threads: 16}}

- name: Read the version of the inter-broker protocol
  metal.kafka.broker_config:
    bootstrap_servers: [kafka1:9092]
    read: [inter.broker.protocol.version]
"""

RETURN = r"""
steps:
  description: Applied steps, in check mode planned ones; one message for each step.
  type: list
  elements: str
  returned: success
  sample: ["broker 1: num.io.threads 8 -> 16, no restart"]
foreign:
  description: Messages on undeclared dynamic values.
  type: list
  elements: str
  returned: success
  sample: ["broker 2: log.cleaner.threads = 2 was set at run time and is not declared"]
restart_required:
  description: Messages on keys that only the next restart can change.
  type: list
  elements: str
  returned: success
no_response:
  description: Messages on brokers that did not respond and were skipped.
  type: list
  elements: str
  returned: success
effective:
  description: >-
    Effective values as text, by key and broker id, for each key in O(read), and with O(read_live)
    for each key that Kafka changes without a restart.
  type: dict
  returned: success
  sample: {"inter.broker.protocol.version": {"1": "3.9-IV0"}}
errors:
  description: One message for each rejected step, with broker, key, value and reason.
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

NO_RESULT: dict[str, Any] = {"steps": [], "foreign": [], "restart_required": [], "effective": {}}


def main() -> None:
    """Apply the declared settings."""
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
    spec = client_options.full_argument_spec(module)
    allow_unreachable = spec["allow_unreachable"]
    if client.MISSING:
        # A new host without the library runs no broker yet.
        if allow_unreachable:
            module.exit_json(changed=False, no_response=[client.MISSING], **NO_RESULT)
        module.fail_json(msg=missing_required_lib("kafka-python"), exception=client.MISSING)
    try:
        specs = live_changes.parse_specs(spec["brokers"])
        connection = broker_configs.BrokerConnection(
            spec["bootstrap_servers"], spec["client_config"], spec["timeout"]
        )
    except endpoints.ClusterError as error:
        if allow_unreachable:
            module.exit_json(changed=False, no_response=[str(error)], **NO_RESULT)
        module.fail_json(msg=f"broker_config: {error}", errors=[str(error)])
    except (properties_file.PropertyError, live_changes.Refusal) as error:
        module.fail_json(msg=f"broker_config: {error}", errors=[str(error)])
    try:
        with connection:
            found = live_changes.converge(
                connection,
                specs,
                spec["read"],
                spec["read_live"],
                allow_unreachable,
                module.check_mode,
            )
    except live_changes.Refusal as error:
        module.fail_json(msg=str(error), errors=error.messages)
    except endpoints.ClusterError as error:
        module.fail_json(msg=f"broker_config: {error}", errors=[str(error)])
    module.exit_json(changed=bool(found["steps"]), **found)


if __name__ == "__main__":
    main()
