#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: broker_refilled
short_description: Wait until every replica of a broker is in sync
description:
  - Checks whether a broker is registered, all its log dirs are online, and all its replicas are in
    sync. Returns the missing bytes.
  - The action plugin of the same name repeats the check until it is done, prints the progress in
    bytes, and fails if there is none for O(stall_timeout).
extends_documentation_fragment: [metal.kafka.client, metal.kafka.only_reads]
options:
  broker:
    description: Id of the broker.
    type: int
    required: true
  seconds:
    description: Duration of one call in seconds; it returns then even if it is not done.
    type: float
    default: 5
  stall_timeout:
    description: Seconds without progress after which the action plugin fails.
    type: int
    default: 600
  timeout:
    description: Time limit of one check in seconds.
    type: float
    default: 20
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Wait until all replicas of broker 2 are in sync
  metal.kafka.broker_refilled:
    bootstrap_servers: [kafka1:9092]
    broker: 2
"""

RETURN = r"""
done:
  description: Whether every replica is in sync.
  type: bool
  returned: always
remaining:
  description: Bytes that the broker's replicas still lack, estimated from those of other brokers.
  type: int
  returned: always
phase:
  description: >-
    C(starting) until the sizes of the broker's log dirs are known, C(filling) afterwards,
    C(unknown) while the cluster does not respond. Values of RV(remaining) are comparable within one
    phase only.
  type: str
  returned: always
waits_for:
  description: Messages on the remaining blockers.
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


def progress(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the progress; an unreachable cluster is reported as a blocker, not an error."""
    try:
        with broker_replicas.ReplicaConnection(
            spec["bootstrap_servers"], spec["client_config"], spec["timeout"]
        ) as connection:
            return catch_up.progress(connection, spec["broker"])
    except endpoints.ClusterError as error:
        return {"done": False, "remaining": 1, "phase": "unknown", "waits_for": [str(error)]}


def main() -> None:
    """Check until the broker is done or the call's time is over."""
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
    spec = client_options.full_argument_spec(module)
    deadline = deadlines.Deadline(spec["seconds"])
    while True:
        found = progress(spec)
        if found["done"] or deadline.passed() or module.check_mode:
            module.exit_json(changed=False, **found)
        time.sleep(1)


if __name__ == "__main__":
    main()
