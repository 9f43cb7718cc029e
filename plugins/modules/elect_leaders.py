#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: elect_leaders
short_description: Elect preferred or unclean leaders of partitions
description:
  - Elects the preferred replica of each partition where it is in sync, and waits until it leads.
  - With O(election=unclean), elects replicas out of sync as leaders of offline partitions. Records
    that only other replicas have are lost, so O(confirm_data_loss) has to repeat each partition.
extends_documentation_fragment: [metal.kafka.client]
options:
  election:
    description: Type of election.
    type: str
    choices: [preferred, unclean]
    default: preferred
  topics:
    description: Topics; without topics and partitions, all topics. Not for unclean elections.
    type: list
    elements: str
    default: []
  partitions:
    description: Partitions by name, such as C(payments-0).
    type: list
    elements: str
    default: []
  confirm_data_loss:
    description: Partitions in O(partitions) whose latest records may be lost.
    type: list
    elements: str
    default: []
  timeout:
    description: Time limit in seconds until the elected replicas lead.
    type: float
    default: 60
attributes:
  check_mode:
    description: Returns the planned elections and changes nothing.
    support: full
  diff_mode:
    description: See RV(steps).
    support: none
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Elect the preferred leaders of payments
  metal.kafka.elect_leaders:
    bootstrap_servers: [kafka1:9092]
    topics: [payments]

- name: Make payments available again, accepting the loss of records
  metal.kafka.elect_leaders:
    bootstrap_servers: [kafka1:9092]
    election: unclean
    partitions: [payments-0]
    confirm_data_loss: [payments-0]
"""

RETURN = r"""
steps:
  description: Elections, in check mode planned ones; one message for each partition.
  type: list
  elements: str
  returned: success
  sample: ["payments-0: leader 2 -> 1"]
impossible:
  description: Partitions whose preferred replica cannot lead, with the reason.
  type: list
  elements: str
  returned: success
errors:
  description: One message for each declaration that cannot be applied.
  type: list
  elements: str
  returned: failure
"""

import time
from typing import Any

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ..module_utils._common import deadlines
from ..module_utils._kafka import client, client_options, cluster, endpoints, snapshot
from ..module_utils._replicas import elections


def plan_elections(found: snapshot.Cluster, spec: dict[str, Any]) -> elections.Plan:
    """Return the planned elections; raises ElectionError."""
    unclean = spec["election"] == elections.UNCLEAN
    if unclean and (spec["topics"] or not spec["partitions"]):
        raise elections.ElectionError(["unclean election: allowed: partitions by name, no topics"])
    parts = elections.select_partitions(found, spec["topics"], spec["partitions"])
    if unclean:
        live = found.broker_ids() - set(found.unresponsive)
        return elections.plan_unclean(parts, spec["confirm_data_loss"], live)
    return elections.plan_preferred(parts)


def main() -> None:
    """Elect leaders, and wait until they lead."""
    module = AnsibleModule(
        argument_spec={
            **client_options.ARGUMENTS,
            "election": {
                "type": "str",
                "choices": [elections.PREFERRED, elections.UNCLEAN],
                "default": elections.PREFERRED,
            },
            "topics": {"type": "list", "elements": "str", "default": []},
            "partitions": {"type": "list", "elements": "str", "default": []},
            "confirm_data_loss": {"type": "list", "elements": "str", "default": []},
            "timeout": {"type": "float", "default": 60},
        },
        supports_check_mode=True,
    )
    if client.MISSING:
        module.fail_json(msg=missing_required_lib("kafka-python"), exception=client.MISSING)
    spec = client_options.full_argument_spec(module)
    try:
        with cluster.ClusterConnection(
            spec["bootstrap_servers"], spec["client_config"], spec["timeout"]
        ) as connection:
            plan = plan_elections(connection.read_cluster(), spec)
            steps = plan.steps
            if steps and not module.check_mode:
                unclean = spec["election"] == elections.UNCLEAN
                connection.elect([step.partition for step in steps], unclean)
                deadline = deadlines.Deadline(spec["timeout"])
                while (plan := plan_elections(connection.read_cluster(), spec)).steps:
                    if deadline.passed():
                        limit = f"not elected after {spec['timeout']:g} s"
                        raise elections.ElectionError([f"{step}: {limit}" for step in plan.steps])
                    time.sleep(1)
    except elections.ElectionError as error:
        module.fail_json(msg="; ".join(error.messages), errors=error.messages)
    except endpoints.ClusterError as error:
        module.fail_json(msg=f"elect_leaders: {error}", errors=[str(error)])
    module.exit_json(
        changed=bool(steps),
        steps=[str(step) for step in steps],
        impossible=list(plan.impossible),
    )


if __name__ == "__main__":
    main()
