#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: wait_for_cluster
short_description: Waits for a healthy Kafka cluster, or for leave to stop brokers
description:
  - Looks at the cluster, and at the container of a broker that starts, again and again, and prints
    what moves. Ends when the cluster is healthy, or with O(before_stop) when the brokers may stop.
  - Waits as long as there is progress. Gives up after O(stall_timeout) seconds without, and at once
    when the container ends again and again.
  - Progress is a broker that registers, a log recovered, a replica in sync, bytes caught up.
  - A healthy cluster costs one look.
extends_documentation_fragment: [metal.kafka.client]
options:
  expect_brokers:
    description: Ids of the brokers that must be registered.
    type: list
    elements: int
    default: []
  before_stop:
    description: Ids of brokers that are to be stopped at the same time.
    type: list
    elements: int
    default: []
  elect_preferred:
    description: >-
      Whether leadership goes back to the preferred replicas once the cluster is healthy. Not used
      with O(before_stop).
    type: bool
    default: false
  container:
    description: Container of the broker that starts, on the host this runs on.
    type: str
  name:
    description: What lines call that broker.
    type: str
    default: ''
  socket:
    description: Socket that the engine answers on.
    type: path
    default: /var/run/docker.sock
  stall_timeout:
    description: Seconds without progress after which it gives up.
    type: float
    default: 300
  interval:
    description: Seconds between two looks.
    type: float
    default: 2
  timeout:
    description: Seconds for one look.
    type: float
    default: 10
attributes:
  check_mode:
    description: Waits, and says which leaders would be elected.
    support: full
  diff_mode:
    description: Shows nothing.
    support: none
notes:
  - The loop runs on the control node, one look on the host; see plugins/action/wait_for_cluster.py.
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Broker 2 may be stopped
  metal.kafka.wait_for_cluster:
    bootstrap_servers: [kafka1:9092, kafka2:9092]
    before_stop: [2]

- name: Broker 2 is back and every partition has all its replicas
  metal.kafka.wait_for_cluster:
    bootstrap_servers: [kafka1:9092, kafka2:9092]
    expect_brokers: [1, 2, 3]
    container: local-kafka2
    name: kafka2
    elect_preferred: true
"""

RETURN = r"""
cluster:
  description: >-
    Everything that M(metal.kafka.cluster_info) returns stands in the result too, at its top level.
  type: dict
  returned: never
lag_bytes:
  description: Bytes that replicas out of sync lack; null when nobody can tell.
  type: int
  returned: always
container:
  description: State of O(container) as M(metal.kafka.container_info) tells it.
  type: dict
  returned: when O(container) is given
recovered:
  description: Logs that the broker has loaded since its start, and how many it has; null before.
  type: list
  elements: int
  returned: when O(container) is given
steps:
  description: What was changed, or would be, as messages.
  type: list
  elements: str
  returned: always
seconds:
  description: How long it was waited.
  type: float
  returned: always
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ..module_utils._common import deadlines
from ..module_utils._containers import container_state
from ..module_utils._host import engine_api
from ..module_utils._kafka import (
    client,
    client_options,
    cluster,
    endpoints,
    health,
    leader_batches,
    log_recovery,
    stop_gate,
)

# Of a log, for the counters of its recovery: each log dir writes its own.
LOG_LINES = 400


def look(spec: dict[str, Any], dry: bool) -> tuple[Any, Any, Any]:
    """The cluster, the bytes it lacks, and leaders elected, or that would be; ClusterError."""
    with cluster.ClusterConnection(
        spec["bootstrap_servers"], spec["client_config"], spec["timeout"] * 0.9
    ) as connection:
        found = connection.read_cluster()
        lag = connection.read_lag(found)
        elected = 0
        sound = health.report(found, spec["expect_brokers"])["healthy"]
        if spec["elect_preferred"] and not spec["before_stop"] and sound:
            elected = len(leader_batches.electable(found))
            if elected and not dry:
                found = connection.elect_preferred(found)
    return found, lag, elected


def look_at_container(spec: dict[str, Any]) -> dict[str, Any]:
    """State of the container and how many logs its broker has loaded."""
    if not spec["container"]:
        return {}
    found = container_state.inspect(spec["container"], spec["socket"])
    lines = []
    if found.running:
        lines = container_state.log(spec["container"], LOG_LINES, found.started, spec["socket"])
    return {"container": vars(found), "recovered": log_recovery.recovered(lines)}


def main() -> None:
    """Look once."""
    module = AnsibleModule(
        argument_spec={
            **client_options.ARGUMENTS,
            "expect_brokers": {"type": "list", "elements": "int", "default": []},
            "before_stop": {"type": "list", "elements": "int", "default": []},
            "elect_preferred": {"type": "bool", "default": False},
            "container": {"type": "str"},
            "name": {"type": "str", "default": ""},
            "socket": {"type": "path", "default": engine_api.SOCKET},
            "stall_timeout": {"type": "float", "default": 300},
            "interval": {"type": "float", "default": 2},
            "timeout": {"type": "float", "default": 10},
        },
        supports_check_mode=True,
    )
    if client.MISSING:
        module.fail_json(msg=missing_required_lib("kafka-python"), exception=client.MISSING)
    spec = client_options.spec_of(module)
    try:
        container = look_at_container(spec)
    except engine_api.EngineError as error:
        module.fail_json(msg=str(error))
    # As in cluster_info: whatever the library waits for, the look ends in time.
    answer = deadlines.side_by_side(
        {"look": lambda: look(spec, module.check_mode)}, deadlines.Deadline(spec["timeout"])
    )["look"]
    if isinstance(answer, (endpoints.ClusterError, TimeoutError)):
        silent = health.unreachable(endpoints.words_of(answer), spec["before_stop"])
        module.exit_json(changed=False, steps=[], lag_bytes=None, **silent, **container)
    if isinstance(answer, Exception):
        raise answer
    found, lag, elected = answer
    decision = stop_gate.before_stop(found, spec["before_stop"]) if spec["before_stop"] else None
    noun = "partition is" if elected == 1 else "partitions are"
    module.exit_json(
        changed=elected > 0,
        steps=[f"{elected} {noun} led by the preferred replica again"] if elected else [],
        lag_bytes=lag,
        **health.report(found, spec["expect_brokers"], decision),
        **container,
    )


if __name__ == "__main__":
    main()
