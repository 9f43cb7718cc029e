#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_info
short_description: Health of a Kafka cluster, and whether a broker may be stopped
description:
  - Reads brokers, partitions, log dirs and reassignments in a few requests for any number of
    topics, and reports problems as messages.
  - With O(before_stop), checks whether brokers can be stopped without a partition falling below
    its C(min.insync.replicas).
  - Does not fail for an unreachable cluster, but returns RV(reachable) as false.
extends_documentation_fragment: [metal.kafka.client, metal.kafka.only_reads]
options:
  expect_brokers:
    description: Ids of the brokers that must be registered.
    type: list
    elements: int
    default: []
  before_stop:
    description: >-
      Ids of brokers to be stopped at the same time; adds RV(stop) to the result.
    type: list
    elements: int
    default: []
  compare_views:
    description: >-
      Whether to read leaders and in-sync replicas from every broker, instead of from one: adds
      RV(views). A broker that the controller does not reach has old metadata.
    type: bool
    default: false
  declared:
    description: >-
      Declared topics, users and quotas, as P(metal.kafka.site#lookup) returns them for
      C(content.declared). Adds RV(content). Without them, nothing is compared.
    type: dict
    default: {}
  timeout:
    description: Time limit of the module in seconds.
    type: float
    default: 10
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Wait until the cluster is healthy
  metal.kafka.cluster_info:
    bootstrap_servers: [kafka1:9092, kafka2:9092]
    expect_brokers: [1, 2, 3]
  register: cluster
  until: cluster.healthy
  retries: 30
  delay: 2

- name: Wait until broker 2 can be stopped
  metal.kafka.cluster_info:
    bootstrap_servers: [kafka1:9092, kafka2:9092]
    before_stop: 2
  register: cluster
  until: cluster.stop.safe
  retries: 60
  delay: 5
"""

RETURN = r"""
reachable:
  description: Whether a broker responded. If not, all values below are empty.
  type: bool
  returned: always
healthy:
  description: Whether there is no problem.
  type: bool
  returned: always
problems:
  description: One message for each problem.
  type: list
  elements: str
  returned: always
  sample: ["broker 3 is not registered", "2 partitions are under-replicated: a-0, a-1"]
cluster_id:
  description: Id of the cluster.
  type: str
  returned: always
controller_id:
  description: Id of the controller, -1 if there is none.
  type: int
  returned: always
brokers:
  description: Registered brokers with C(id), C(host), C(port) and C(rack), by id.
  type: list
  elements: dict
  returned: always
topics:
  description: Number of topics.
  type: int
  returned: always
partitions:
  description: Number of partitions.
  type: int
  returned: always
under_replicated:
  description: >-
    Partitions with a replica that is not in sync, as C(topic-partition). Replicas that a
    reassignment is adding do not count.
  type: list
  elements: str
  returned: always
under_min_isr:
  description: Partitions with fewer replicas in sync than their C(min.insync.replicas).
  type: list
  elements: str
  returned: always
offline:
  description: Partitions without a leader.
  type: list
  elements: str
  returned: always
not_preferred:
  description: Number of partitions whose leader is not the preferred replica.
  type: int
  returned: always
offline_log_dirs:
  description: Offline log dirs, with C(broker), C(path) and C(error).
  type: list
  elements: dict
  returned: always
views:
  description: >-
    Brokers that report other leaders or in-sync replicas than the controller, with C(broker) and
    C(partitions). Always empty without O(compare_views).
  type: list
  elements: dict
  returned: always
content:
  description: >-
    Problems of topics and quotas that differ from O(declared), each with C(kind), C(where),
    C(severity), C(text), C(command) and C(affects). Empty without O(declared).
  type: list
  elements: dict
  returned: always
unresponsive:
  description: Reasons of registered brokers that do not respond, by id.
  type: dict
  returned: always
unread:
  description: Messages on requests that failed.
  type: list
  elements: str
  returned: always
reassignments:
  description: Partitions that are being reassigned, as C(topic-partition).
  type: list
  elements: str
  returned: always
healthy_brokers:
  description: >-
    Ids of brokers that are registered, respond, and have all log dirs online and all replicas in
    sync.
  type: list
  elements: int
  returned: always
stop:
  description: Whether the brokers in O(before_stop) may be stopped.
  type: dict
  returned: when O(before_stop) is given
  contains:
    brokers:
      description: Ids of the brokers.
      type: list
      elements: int
    safe:
      description: Whether they may be stopped now.
      type: bool
    blockers:
      description: One message for each blocker.
      type: list
      elements: str
    unprotected:
      description: >-
        Partitions on these brokers whose replication factor is not above their
        C(min.insync.replicas). They become unavailable in any restart order, and do not block.
      type: list
      elements: str
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ..module_utils._common import deadlines
from ..module_utils._content.declared_client import DeclaredConnection
from ..module_utils._kafka import client, client_options, endpoints, health, stop_gate
from ..module_utils._kafka.snapshot import Cluster as Snapshot
from ..module_utils._problems.platform_problem import Problem


def read(
    servers: list[str],
    config: dict[str, Any],
    timeout: float,
    compare: bool,
    declared: Mapping[str, Any],
) -> tuple[Snapshot, list[Problem]]:
    """Return the state of the cluster, and problems of declared content; raises ClusterError."""
    with DeclaredConnection(servers, config, timeout) as connection:
        found = connection.read_cluster()
        found = connection.compare_views(found) if compare else found
        if not declared:
            return found, []
        problems, unread = connection.read_content(found, declared)
        return replace(found, unread=(*found.unread, *unread)), problems


def main() -> None:
    """Read the cluster within the time limit, and return its health."""
    module = AnsibleModule(
        argument_spec={
            **client_options.ARGUMENTS,
            "expect_brokers": {"type": "list", "elements": "int", "default": []},
            "before_stop": {"type": "list", "elements": "int", "default": []},
            "compare_views": {"type": "bool", "default": False},
            "declared": {"type": "dict", "default": {}},
            "timeout": {"type": "float", "default": 10},
        },
        supports_check_mode=True,
    )
    if client.MISSING:
        module.fail_json(msg=missing_required_lib("kafka-python"), exception=client.MISSING)
    spec = client_options.full_argument_spec(module)
    stopping = spec["before_stop"]
    # The outer deadline holds even if the library hangs. The inner one ends earlier, with an error
    # that names the request.
    arguments = (
        *(spec["bootstrap_servers"], spec["client_config"], spec["timeout"] * 0.9),
        *(spec["compare_views"], spec["declared"]),
    )
    answer = deadlines.run_in_parallel(
        {"cluster": lambda: read(*arguments)}, deadlines.Deadline(spec["timeout"])
    )["cluster"]
    if isinstance(answer, (endpoints.ClusterError, TimeoutError)):
        module.exit_json(
            changed=False, **health.unreachable_result(endpoints.error_text(answer), stopping)
        )
    if isinstance(answer, Exception):
        raise answer
    found, content = answer
    decision = stop_gate.before_stop(found, stopping) if stopping else None
    module.exit_json(
        changed=False, **health.report(found, spec["expect_brokers"], decision, content)
    )


if __name__ == "__main__":
    main()
