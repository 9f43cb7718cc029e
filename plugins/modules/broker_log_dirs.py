#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: broker_log_dirs
short_description: Move replicas between the log dirs of one broker
description:
  - Moves to a new log dir its share of the broker's replicas, by bytes and by number, empties a
    log dir, or fails if a log dir is not empty.
  - Moves run in batches with limited speed. After each batch the log dirs are checked; nothing
    more is moved if one is offline.
  - The plan is derived from the cluster, so a new run continues an interrupted one. When the goal
    is reached, a run changes nothing.
  - The action plugin of the same name repeats the module until it is done, prints the progress,
    and fails if there is none for O(stall_timeout).
extends_documentation_fragment: [metal.kafka.client]
options:
  broker:
    description: Id of the broker.
    type: int
    required: true
  log_dir:
    description: Log dir of the O(goal).
    type: path
    required: true
  goal:
    description: >-
      C(balanced) moves replicas to the log dir until it has its share. C(drained) empties it.
      C(empty) fails if it is not empty.
    type: str
    choices: [balanced, drained, empty]
    required: true
  rate:
    description: Limit of all moves on the broker together, in bytes per second.
    type: int
    default: 52428800
  stage:
    description: >-
      C(work) moves replicas. C(release) only removes the speed limit; the action plugin does it
      after a failure.
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
    default: 20
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
- name: Move replicas to the new disk
  metal.kafka.broker_log_dirs:
    bootstrap_servers: [kafka1:9092]
    broker: 1
    log_dir: /data/disk3/kafka
    goal: balanced
"""

RETURN = r"""
done:
  description: Whether the goal is reached.
  type: bool
  returned: always
steps:
  description: Remaining moves at the last check of the call, not changes; one message for each.
  type: list
  elements: str
  returned: always
  sample: ["12 replicas (3.4 GiB) move from /data/disk1/kafka to /data/disk3/kafka"]
remaining:
  description: Remaining work, in bytes still to be copied to other log dirs.
  type: int
  returned: always
remaining_replicas:
  description: Number of replicas still to be moved or under way.
  type: int
  returned: always
replicas:
  description: Number of replicas in O(log_dir).
  type: int
  returned: always
dirs:
  description: >-
    Each log dir with C(path), C(replicas) (their number), C(bytes) (their size), C(usable) (free
    bytes) and C(error) (name of Kafka's error, empty if it is online).
  type: list
  elements: dict
  returned: always
"""

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ..module_utils._common import deadlines
from ..module_utils._kafka import client, client_options, endpoints
from ..module_utils._replicas import broker_replicas, log_dir_model, log_dir_moves


def main() -> None:
    """Preview moves, run them, or remove the limit."""
    module = AnsibleModule(
        argument_spec={
            **client_options.ARGUMENTS,
            "broker": {"type": "int", "required": True},
            "log_dir": {"type": "path", "required": True},
            "goal": {"type": "str", "choices": list(log_dir_moves.GOALS), "required": True},
            "rate": {"type": "int", "default": 52428800},
            "stage": {"type": "str", "choices": ["work", "release"], "default": "work"},
            "seconds": {"type": "float", "default": 10},
            "stall_timeout": {"type": "int", "default": 600},
            "timeout": {"type": "float", "default": 20},
        },
        supports_check_mode=True,
    )
    if client.MISSING:
        module.fail_json(msg=missing_required_lib("kafka-python"), exception=client.MISSING)
    spec = client_options.full_argument_spec(module)
    goal = (spec["broker"], spec["log_dir"], spec["goal"])
    try:
        with broker_replicas.ReplicaConnection(
            spec["bootstrap_servers"], spec["client_config"], spec["timeout"]
        ) as connection:
            # The connection's deadline covers connecting only; moves take longer.
            connection.deadline = deadlines.Deadline(spec["seconds"] + spec["timeout"])
            if module.check_mode:
                found = log_dir_moves.preview(connection, *goal)
                module.exit_json(changed=not found["done"], **found)
            if spec["stage"] == "release":
                module.exit_json(changed=connection.limit(spec["broker"], None))
            limits = (spec["rate"], spec["seconds"])
            module.exit_json(**log_dir_moves.run_moves(connection, *goal, *limits))
    except (endpoints.ClusterError, log_dir_model.LogDirError) as error:
        module.fail_json(msg=f"broker {spec['broker']}: {error}")


if __name__ == "__main__":
    main()
