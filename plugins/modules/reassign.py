#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: reassign
short_description: Replicas of topics lie on the right brokers
description:
  - Gives topics another replication factor, or other brokers, by throttled reassignments of
    partitions, a few at a time.
  - "New replicas go to racks that have none of the partition yet, and there to the broker with the
    fewest. When there are too many, those go whose broker is gone, then those out of sync, those
    that share a rack, those on the busiest broker. First replicas and leaders stay where they
    are."
  - Everything is derived from the cluster, so a second run goes on where an interrupted one
    stopped, and a finished one changes nothing but a throttle that was left behind, which it
    removes.
  - The action plugin of the same name calls the module again until it is done, tells the progress,
    and gives up only when there is none; then the throttle is removed and moves under way go on.
extends_documentation_fragment: [metal.kafka.client]
options:
  topics:
    description: >-
      Topics by name, each with C(replication_factor), or C(placement), a list with a list of
      broker ids for each partition; without either only a throttle that was left behind is
      removed. Other keys are those of M(metal.kafka.topics) and do nothing here. Topics of Kafka's
      own need C(internal) as well, which is true.
    type: dict
    required: true
  rate:
    description: >-
      Bytes per second that replicas which are added may take from and to each broker, for all these
      moves together; 0 for no limit. Less than what producers write never comes to an end. Other
      replicas of the topics are not throttled. A throttle that somebody else has set is kept.
    type: int
    default: 50000000
  batch:
    description: Partitions that are moved at the same time.
    type: int
    default: 10
  stage:
    description: >-
      C(work) moves; C(release) only removes the throttle, which the action plugin does after a
      failure.
    type: str
    choices: [work, release]
    default: work
  seconds:
    description: How long one call works before it returns, done or not.
    type: float
    default: 10
  stall_timeout:
    description: Seconds without progress after which the action plugin gives up.
    type: int
    default: 600
  timeout:
    description: Seconds for the answer to one question.
    type: float
    default: 30
  record:
    description: >-
      File of the host in which throttles are written down before they are set, so that a later run
      knows them for its own. Without it only this call does.
    type: path
    default: ""
  own:
    description: >-
      Throttles of such files of other hosts, each a list of C(broker) or C(topic), its name, the
      key and the value.
    type: list
    elements: list
    default: []
attributes:
  check_mode:
    description: Says which moves would be made.
    support: full
  diff_mode:
    description: RV(steps) says it.
    support: none
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Payments have three replicas
  metal.kafka.reassign:
    bootstrap_servers: [kafka1:9092]
    topics:
      payments: {replication_factor: 3}
"""

RETURN = r"""
done:
  description: Whether all replicas lie where they shall, and no throttle is left.
  type: bool
  returned: success
steps:
  description: What was still to do when the call began, one message for each partition.
  type: list
  elements: str
  returned: success
  sample: ["payments-0: brokers 1, 2 -> 1, 2, 3"]
waits_for:
  description: Partitions under way.
  type: list
  elements: str
  returned: success
left:
  description: Bytes still to be copied.
  type: int
  returned: success
partitions_left:
  description: Partitions still to be moved or under way.
  type: int
  returned: success
foreign:
  description: Throttles that somebody else has set and that are kept, one message for each.
  type: list
  elements: str
  returned: success
throttles:
  description: >-
    Throttles of ours that are still set, as O(own) takes them; at the end those of brokers that do
    not answer, which a later run removes.
  type: list
  elements: list
  returned: success
phase:
  description: What is being done.
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
    """Preview, work or release."""
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
            "record": {"type": "path", "default": ""},
            "own": {"type": "list", "elements": "list", "default": []},
        },
        supports_check_mode=True,
    )
    if client.MISSING:
        module.fail_json(msg=missing_required_lib("kafka-python"), exception=client.MISSING)
    spec = client_options.spec_of(module)
    try:
        specs = placement.specs_of(spec["topics"])
        record = throttles.Record(spec["record"] or "", spec["own"])
        with reassignment.ReassignConnection(
            spec["bootstrap_servers"], spec["client_config"], spec["timeout"]
        ) as connection:
            if module.check_mode:
                found = reassignment.preview(connection, specs, record)
                module.exit_json(changed=not found["done"], **found)
            if spec["stage"] == "release":
                brokers = reassignment.answering(connection.read_cluster())
                module.exit_json(changed=connection.release(record, brokers))
            limits = (spec["rate"], spec["batch"], spec["seconds"])
            module.exit_json(**reassignment.work(connection, specs, record, limits))
    except placement.PlacementError as error:
        module.fail_json(msg="; ".join(error.messages), errors=error.messages)
    except endpoints.ClusterError as error:
        module.fail_json(msg=f"reassign: {error}", errors=[str(error)])


if __name__ == "__main__":
    main()
