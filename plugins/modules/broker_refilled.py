#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: broker_refilled
short_description: Wait until every replica of a broker is in sync
description:
  - Looks whether a broker is registered, all its log dirs are online, and each of its replicas is
    in sync; and how many bytes are missing.
  - The action plugin of the same name looks again until it is done, tells the progress in bytes,
    and gives up only when there is none.
extends_documentation_fragment: [metal.kafka.client, metal.kafka.only_reads]
options:
  broker:
    description: Id of the broker.
    type: int
    required: true
  seconds:
    description: How long one call waits before it returns, done or not.
    type: float
    default: 5
  stall_timeout:
    description: Seconds without progress after which the action plugin gives up.
    type: int
    default: 600
  timeout:
    description: Seconds for one look.
    type: float
    default: 20
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Broker 2 has all its replicas
  metal.kafka.broker_refilled:
    bootstrap_servers: [kafka1:9092]
    broker: 2
"""

RETURN = r"""
done:
  description: Whether every replica is in sync.
  type: bool
  returned: always
left:
  description: Bytes that are missing, as far as the log dirs of other brokers tell.
  type: int
  returned: always
phase:
  description: >-
    C(starting) until the broker tells its log dirs, C(filling) afterwards, C(unknown) while the
    cluster does not answer. Figures of RV(left) are comparable within one phase.
  type: str
  returned: always
waits_for:
  description: Messages on what is missing.
  type: list
  elements: str
  returned: always
"""

import time
from typing import Any

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ..module_utils._common import deadlines
from ..module_utils._kafka import client, client_options, endpoints
from ..module_utils._replicas import broker_replicas, catch_up


def look(spec: dict[str, Any]) -> dict[str, Any]:
    """One look; a cluster that does not answer is something to wait for."""
    try:
        with broker_replicas.ReplicaConnection(
            spec["bootstrap_servers"], spec["client_config"], spec["timeout"]
        ) as connection:
            return catch_up.look(connection, spec["broker"])
    except endpoints.ClusterError as error:
        return {"done": False, "left": 1, "phase": "unknown", "waits_for": [str(error)]}


def main() -> None:
    """Look until done or time is up."""
    module = AnsibleModule(
        argument_spec={
            **client_options.ARGUMENTS,
            "broker": {"type": "int", "required": True},
            "seconds": {"type": "float", "default": 5},
            "stall_timeout": {"type": "int", "default": 600},
            "timeout": {"type": "float", "default": 20},
        },
        supports_check_mode=True,
    )
    if client.MISSING:
        module.fail_json(msg=missing_required_lib("kafka-python"), exception=client.MISSING)
    spec = client_options.spec_of(module)
    deadline = deadlines.Deadline(spec["seconds"])
    while True:
        found = look(spec)
        if found["done"] or deadline.passed() or module.check_mode:
            module.exit_json(changed=False, **found)
        time.sleep(1)


if __name__ == "__main__":
    main()
