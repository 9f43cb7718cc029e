#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: broker_log_dirs
short_description: Move replicas between the log dirs of one broker
description:
  - Gives a new log dir its fair share of the broker's replicas, by bytes and by number, empties
    one, or fails when one is not empty.
  - Moves are made in batches, limited in speed. After each batch the log dirs are looked at, and
    nothing more is moved when one went offline.
  - Everything is derived from the cluster, so a second run goes on where an interrupted one
    stopped, and a finished one changes nothing.
  - The action plugin of the same name calls the module again until it is done, tells the progress,
    and gives up only when there is none.
extends_documentation_fragment: [metal.kafka.client]
options:
  broker:
    description: Id of the broker.
    type: int
    required: true
  log_dir:
    description: The log dir that receives its share, is emptied, or must be empty.
    type: path
    required: true
  goal:
    description: What is to be reached.
    type: str
    choices: [shared, drained, empty]
    required: true
  rate:
    description: Bytes per second that all moves of the broker together may take.
    type: int
    default: 52428800
  stage:
    description: >-
      C(work) moves; C(release) only lifts the limit of speed, which the action plugin does after a
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
    default: 20
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
- name: The new disk has its share of replicas
  metal.kafka.broker_log_dirs:
    bootstrap_servers: [kafka1:9092]
    broker: 1
    log_dir: /data/disk3/kafka
    goal: shared
"""

RETURN = r"""
done:
  description: Whether the goal is reached.
  type: bool
  returned: always
steps:
  description: Messages on what was still to do when the call began to look for the last time.
  type: list
  elements: str
  returned: always
  sample: ["12 replicas (3.4 GiB) move from /data/disk1/kafka to /data/disk3/kafka"]
left:
  description: Bytes still to be copied.
  type: int
  returned: always
replicas_left:
  description: Replicas still to be moved or under way.
  type: int
  returned: always
replicas:
  description: Replicas in O(log_dir).
  type: int
  returned: always
dirs:
  description: Each log dir with C(path), C(replicas), C(bytes), C(usable) and C(error).
  type: list
  elements: dict
  returned: always
"""

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ..module_utils._common import deadlines
from ..module_utils._kafka import client, client_options, endpoints
from ..module_utils._replicas import broker_replicas, log_dir_model, log_dir_moves


def main() -> None:
    """Preview, work or release; refuse in one message."""
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
    spec = client_options.spec_of(module)
    what = (spec["broker"], spec["log_dir"], spec["goal"])
    try:
        with broker_replicas.ReplicaConnection(
            spec["bootstrap_servers"], spec["client_config"], spec["timeout"]
        ) as connection:
            # The deadline of a connection is for reaching it; work goes on for longer.
            connection.deadline = deadlines.Deadline(spec["seconds"] + spec["timeout"])
            if module.check_mode:
                found = log_dir_moves.preview(connection, *what)
                module.exit_json(changed=not found["done"], **found)
            if spec["stage"] == "release":
                module.exit_json(changed=connection.limit(spec["broker"], None))
            module.exit_json(**log_dir_moves.work(connection, *what, spec["rate"], spec["seconds"]))
    except (endpoints.ClusterError, log_dir_model.LogDirError) as error:
        module.fail_json(msg=f"broker {spec['broker']}: {error}")


if __name__ == "__main__":
    main()
