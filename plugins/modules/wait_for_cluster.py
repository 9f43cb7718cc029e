#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: wait_for_cluster
short_description: Wait until a Kafka cluster is healthy, or until brokers may be stopped
description:
  - Polls the cluster, and the container of a starting broker, and prints the progress. Ends when
    the cluster is healthy, or with O(before_stop) when the brokers may be stopped.
  - Fails after O(stall_timeout) seconds without progress, and immediately if the container keeps
    restarting.
  - Progress is a registered broker, a recovered log, a replica in sync, or bytes caught up.
  - A healthy cluster needs one read.
extends_documentation_fragment: [metal.kafka.client]
options:
  expect_brokers:
    description: Ids of the brokers that must be registered.
    type: list
    elements: int
    default: []
  before_stop:
    description: Ids of brokers to be stopped at the same time.
    type: list
    elements: int
    default: []
  elect_preferred:
    description: >-
      Whether to elect the preferred replicas once the cluster is healthy. Ignored with
      O(before_stop).
    type: bool
    default: false
  container:
    description: Container of the starting broker, on the module's host.
    type: str
  name:
    description: Name of that broker in printed lines.
    type: str
    default: ''
  socket:
    description: Socket of the container engine.
    type: path
    default: /var/run/docker.sock
  stall_timeout:
    description: Seconds without progress after which the task fails.
    type: float
    default: 300
  interval:
    description: Seconds between two reads of the cluster.
    type: float
    default: 2
  timeout:
    description: Time limit of one read in seconds.
    type: float
    default: 10
attributes:
  check_mode:
    description: Waits, and returns the number of planned elections in RV(steps).
    support: full
  diff_mode:
    description: No diff.
    support: none
notes:
  - The loop is in the action plugin on the control node; the module on the host reads once. See
    plugins/action/wait_for_cluster.py.
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Wait until broker 2 may be stopped
  metal.kafka.wait_for_cluster:
    bootstrap_servers: [kafka1:9092, kafka2:9092]
    before_stop: [2]

- name: Wait until broker 2 has returned and all replicas are in sync
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
    All results of M(metal.kafka.cluster_info) are in the result too, at its top level.
  type: dict
  returned: never
lag_bytes:
  description: Bytes that replicas out of sync lack; null if unknown.
  type: int
  returned: always
container:
  description: State of O(container), in the form of M(metal.kafka.container_info).
  type: dict
  returned: when O(container) is given
recovered:
  description: Number of logs that the broker has loaded since its start, and of all its logs; null
    before the first one.
  type: list
  elements: int
  returned: when O(container) is given
steps:
  description: Messages on elections, in check mode on planned ones.
  type: list
  elements: str
  returned: always
seconds:
  description: Duration of the wait in seconds.
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

# Last lines of the container's log that are searched for the progress of each log dir's recovery.
LOG_LINES = 400


def read(spec: dict[str, Any], dry: bool) -> tuple[Any, Any, Any]:
    """Return the cluster, its lag in bytes, and the number of elected leaders.

    Leaders are elected only if ``dry`` is false. Raises ClusterError.
    """
    with cluster.ClusterConnection(
        spec["bootstrap_servers"], spec["client_config"], spec["timeout"] * 0.9
    ) as connection:
        found = connection.read_cluster()
        lag = connection.read_lag(found)
        elected = 0
        healthy = health.report(found, spec["expect_brokers"])["healthy"]
        if spec["elect_preferred"] and not spec["before_stop"] and healthy:
            elected = len(leader_batches.electable_partitions(found))
            if elected and not dry:
                found = connection.elect_preferred(found)
    return found, lag, elected


def read_container(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the state of the container and the progress of its broker's log recovery."""
    if not spec["container"]:
        return {}
    found = container_state.inspect(spec["container"], spec["socket"])
    lines = []
    if found.running:
        lines = container_state.read_log_tail(
            spec["container"], LOG_LINES, found.started, spec["socket"]
        )
    return {"container": vars(found), "recovered": log_recovery.count_recovered_logs(lines)}


def main() -> None:
    """Read the cluster and the container once."""
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
    spec = client_options.full_argument_spec(module)
    try:
        container = read_container(spec)
    except engine_api.EngineError as error:
        module.fail_json(msg=str(error))
    # As in cluster_info, the outer deadline holds even if the library hangs.
    answer = deadlines.run_in_parallel(
        {"cluster": lambda: read(spec, module.check_mode)}, deadlines.Deadline(spec["timeout"])
    )["cluster"]
    if isinstance(answer, (endpoints.ClusterError, TimeoutError)):
        failed = health.unreachable_result(endpoints.error_text(answer), spec["before_stop"])
        module.exit_json(changed=False, steps=[], lag_bytes=None, **failed, **container)
    if isinstance(answer, Exception):
        raise answer
    found, lag, elected = answer
    decision = stop_gate.before_stop(found, spec["before_stop"]) if spec["before_stop"] else None
    noun = "partition" if elected == 1 else "partitions"
    module.exit_json(
        changed=elected > 0,
        steps=[f"preferred leaders elected: {elected} {noun}"] if elected else [],
        lag_bytes=lag,
        **health.report(found, spec["expect_brokers"], decision),
        **container,
    )


if __name__ == "__main__":
    main()
