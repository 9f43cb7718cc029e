#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_activity
short_description: Whether somebody uses a Kafka cluster
description:
  - Compares the end offsets of all topics before and after a few seconds, and looks for consumer
    groups that have members.
  - For operations that take what the brokers have, such as a benchmark. Somebody who only reads
    without a group is not seen.
extends_documentation_fragment: [metal.kafka.client, metal.kafka.only_reads]
options:
  seconds:
    description: Seconds between the two looks.
    type: float
    default: 5
  timeout:
    description: Seconds that the cluster may take to answer.
    type: float
    default: 20
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Cluster is watched
  metal.kafka.cluster_activity:
    bootstrap_servers: [kafka1:9092, kafka2:9092]
  register: activity
  until: not activity.busy
  retries: 10
  delay: 30
"""

RETURN = r"""
busy:
  description: Whether somebody uses the cluster.
  type: bool
  returned: always
signs:
  description: Messages that say how that is seen.
  type: list
  elements: str
  returned: always
  sample: ["5120 records were written within 5 s: orders (5120)"]
"""

import time
from typing import Any

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ..module_utils._kafka import activity, client, client_options, cluster, endpoints


def look(
    servers: str, config: dict[str, Any], seconds: float, timeout: float
) -> tuple[Any, Any, Any, float]:
    """Two looks at offsets, one at groups; raises ClusterError."""
    with cluster.ClusterConnection(servers, config, timeout + seconds) as connection:
        before = connection.read_end_offsets()
        begun = time.monotonic()
        groups = connection.read_group_states()
        time.sleep(max(0.0, seconds - (time.monotonic() - begun)))
        return before, connection.read_end_offsets(), groups, time.monotonic() - begun


def main() -> None:
    """Look twice, judge, answer."""
    module = AnsibleModule(
        argument_spec={
            **client_options.ARGUMENTS,
            "seconds": {"type": "float", "default": 5},
            "timeout": {"type": "float", "default": 20},
        },
        supports_check_mode=True,
    )
    if client.MISSING:
        module.fail_json(msg=missing_required_lib("kafka-python"), exception=client.MISSING)
    spec = client_options.spec_of(module)
    try:
        before, after, groups, seconds = look(
            spec["bootstrap_servers"], spec["client_config"], spec["seconds"], spec["timeout"]
        )
    except endpoints.ClusterError as error:
        module.fail_json(msg=f"activity of the cluster is unknown: {error}")
    found = activity.signs(before, after, groups, round(seconds, 1))
    module.exit_json(changed=False, busy=bool(found), signs=found)


if __name__ == "__main__":
    main()
