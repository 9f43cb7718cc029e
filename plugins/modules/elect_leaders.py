#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: elect_leaders
short_description: Partitions are led by the right replica
description:
  - Gives leadership back to the first replica of each partition where it is in sync, and waits
    until it leads.
  - With O(election=unclean) lets a replica that is out of sync lead partitions that are offline.
    Records that only the others have are lost for ever, so each partition has to be named twice.
extends_documentation_fragment: [metal.kafka.client]
options:
  election:
    description: Whom to elect.
    type: str
    choices: [preferred, unclean]
    default: preferred
  topics:
    description: Topics; all without topics and partitions. Not for unclean elections.
    type: list
    elements: str
    default: []
  partitions:
    description: Partitions by name, such as C(payments-0).
    type: list
    elements: str
    default: []
  confirm_data_loss:
    description: Partitions under O(partitions) whose latest records may be lost.
    type: list
    elements: str
    default: []
  timeout:
    description: Seconds until all have to be led.
    type: float
    default: 60
attributes:
  check_mode:
    description: Says what would be elected and changes nothing.
    support: full
  diff_mode:
    description: There are no files or settings to show.
    support: none
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: First replicas lead payments
  metal.kafka.elect_leaders:
    bootstrap_servers: [kafka1:9092]
    topics: [payments]

- name: Payments are served again, whatever was lost
  metal.kafka.elect_leaders:
    bootstrap_servers: [kafka1:9092]
    election: unclean
    partitions: [payments-0]
    confirm_data_loss: [payments-0]
"""

RETURN = r"""
steps:
  description: What was done, or in check mode would be, one message for each partition.
  type: list
  elements: str
  returned: success
  sample: ["payments-0: leader 2 -> 1"]
impossible:
  description: Partitions whose first replica cannot lead, with the reason.
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


def planned(found: snapshot.Cluster, spec: dict[str, Any]) -> elections.Plan:
    """What is to be elected; raises ElectionError."""
    unclean = spec["election"] == elections.UNCLEAN
    if unclean and (spec["topics"] or not spec["partitions"]):
        raise elections.ElectionError(["an unclean election is for partitions, each by its name"])
    parts = elections.chosen(found, spec["topics"], spec["partitions"])
    if unclean:
        live = found.broker_ids() - set(found.silent)
        return elections.plan_unclean(parts, spec["confirm_data_loss"], live)
    return elections.plan_preferred(parts)


def main() -> None:
    """Read, plan, elect, and see that they lead."""
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
    spec = client_options.spec_of(module)
    try:
        with cluster.ClusterConnection(
            spec["bootstrap_servers"], spec["client_config"], spec["timeout"]
        ) as connection:
            plan = planned(connection.read_cluster(), spec)
            steps = plan.steps
            if steps and not module.check_mode:
                unclean = spec["election"] == elections.UNCLEAN
                connection.elect([step.partition for step in steps], unclean)
                deadline = deadlines.Deadline(spec["timeout"])
                while (plan := planned(connection.read_cluster(), spec)).steps:
                    if deadline.passed():
                        late = [f"{step}: not after {spec['timeout']:g} s" for step in plan.steps]
                        raise elections.ElectionError(late)
                    # Brokers learn of new leaders one after the other.
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
