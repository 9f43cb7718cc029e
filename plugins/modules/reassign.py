#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: reassign
short_description: Replicas of topics are on the declared brokers
description:
  - Changes the replication factor or the brokers of topics, by throttled reassignments of a few
    partitions at a time.
  - "New replicas are placed in racks that have no replica of the partition, on the broker with the
    fewest replicas. Surplus replicas are removed in this order: on unregistered brokers, out of
    sync, in the same rack as another, on the broker with the most replicas. First replicas and
    leaders are kept."
  - The plan is derived from the cluster, so a new run continues an interrupted one. When the
    replicas are as declared, a run only removes throttles that an earlier run left.
  - The action plugin of the same name repeats the module until it is done, prints the progress,
    and fails if there is none for O(stall_timeout). It then removes the throttle; moves under way
    continue.
extends_documentation_fragment: [metal.kafka.client]
options:
  topics:
    description: >-
      Topics by name, each with C(replication_factor), or C(placement), a list with a list of
      broker ids for each partition. Without either only leftover throttles are removed. Other keys
      of M(metal.kafka.topics) are ignored. Kafka's internal topics also need C(internal) set to
      true.
    type: dict
    required: true
  rate:
    description: >-
      Limit for added replicas in bytes per second, from and to each broker, for all these moves
      together; 0 for no limit. Below the rate of producers the moves never finish. Other replicas
      of the topics are not throttled. Throttles that other tools have set are kept.
    type: int
    default: 50000000
  batch:
    description: Number of partitions moved at the same time.
    type: int
    default: 10
  stage:
    description: >-
      C(work) moves replicas. C(release) only removes the throttle; the action plugin does it after
      a failure.
    type: str
    choices: [work, release]
    default: work
  seconds:
    description: Duration of one call in seconds; it returns then even if it is not done.
    type: float
    default: 10
  stall_timeout:
    description: Seconds without progress after which the action plugin fails.
    type: int
    default: 600
  timeout:
    description: Time limit of one request in seconds.
    type: float
    default: 30
  throttles_file:
    description: >-
      File on the host to which throttles are written before they are set, so that a later run can
      identify and remove them. Without it only the same call can.
    type: path
    default: ""
  own_throttles:
    description: >-
      Throttles from O(throttles_file) of other hosts, each a list of C(broker) or C(topic), its
      name, the key and the value.
    type: list
    elements: list
    default: []
attributes:
  check_mode:
    description: Returns the planned moves.
    support: full
  diff_mode:
    description: See RV(steps).
    support: none
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Set the replication factor of payments to 3
  metal.kafka.reassign:
    bootstrap_servers: [kafka1:9092]
    topics:
      payments: {replication_factor: 3}
"""

RETURN = r"""
done:
  description: Whether all replicas are on the declared brokers, and no throttle is left.
  type: bool
  returned: success
steps:
  description: >-
    Remaining moves at the start of the call, not changes; one message for each partition.
  type: list
  elements: str
  returned: success
  sample: ["payments-0: brokers 1, 2 -> 1, 2, 3"]
waits_for:
  description: Partitions that are being moved.
  type: list
  elements: str
  returned: success
remaining:
  description: Remaining work, in bytes still to be copied to new replicas.
  type: int
  returned: success
remaining_partitions:
  description: Number of partitions still to be moved or under way.
  type: int
  returned: success
foreign:
  description: Throttles that other tools have set and that are kept, one message for each.
  type: list
  elements: str
  returned: success
throttles:
  description: >-
    Own throttles that are still set, in the form of O(own_throttles); at the end those on brokers
    that do not respond, which a later run removes.
  type: list
  elements: list
  returned: success
phase:
  description: Current phase, always C(moving).
  type: str
  returned: success
errors:
  description: One message for each declaration that cannot be applied.
  type: list
  elements: str
  returned: failure
"""

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ..module_utils._kafka import client, client_options, endpoints
from ..module_utils._replicas import placement, reassignment, throttles


def main() -> None:
    """Preview moves, run them, or remove throttles."""
    module = AnsibleModule(
        argument_spec={
            **client_options.ARGUMENTS,
            "topics": {"type": "dict", "required": True},
            "rate": {"type": "int", "default": 50000000},
            "batch": {"type": "int", "default": 10},
            "stage": {"type": "str", "choices": ["work", "release"], "default": "work"},
            "seconds": {"type": "float", "default": 10},
            "stall_timeout": {"type": "int", "default": 600},
            "timeout": {"type": "float", "default": 30},
            "throttles_file": {"type": "path", "default": ""},
            "own_throttles": {"type": "list", "elements": "list", "default": []},
        },
        supports_check_mode=True,
    )
    if client.MISSING:
        module.fail_json(msg=missing_required_lib("kafka-python"), exception=client.MISSING)
    spec = client_options.full_argument_spec(module)
    try:
        specs = placement.parse_specs(spec["topics"])
        throttle_file = throttles.ThrottleFile(spec["throttles_file"] or "", spec["own_throttles"])
        with reassignment.ReassignConnection(
            spec["bootstrap_servers"], spec["client_config"], spec["timeout"]
        ) as connection:
            if module.check_mode:
                found = reassignment.preview(connection, specs, throttle_file)
                module.exit_json(changed=not found["done"], **found)
            if spec["stage"] == "release":
                brokers = reassignment.responding_brokers(connection.read_cluster())
                module.exit_json(changed=connection.remove_throttles(throttle_file, brokers))
            limits = (spec["rate"], spec["batch"], spec["seconds"])
            module.exit_json(**reassignment.run_moves(connection, specs, throttle_file, limits))
    except placement.PlacementError as error:
        module.fail_json(msg="; ".join(error.messages), errors=error.messages)
    except endpoints.ClusterError as error:
        module.fail_json(msg=f"reassign: {error}", errors=[str(error)])


if __name__ == "__main__":
    main()
