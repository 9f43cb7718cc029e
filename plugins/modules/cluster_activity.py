#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_activity
short_description: Whether clients use a Kafka cluster
description:
  - Compares the end offsets of all topics before and after a few seconds, and checks for consumer
    groups with members.
  - Use it before operations that need all capacity of the brokers, such as a benchmark. Consumers
    without a group are not detected.
extends_documentation_fragment: [metal.kafka.client, metal.kafka.only_reads]
options:
  seconds:
    description: Seconds between the two reads of end offsets.
    type: float
    default: 5
  timeout:
    description: Time limit for the cluster's responses, in seconds.
    type: float
    default: 20
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Wait until no client uses the cluster
  metal.kafka.cluster_activity:
    bootstrap_servers: [kafka1:9092, kafka2:9092]
  register: activity
  until: not activity.busy
  retries: 10
  delay: 30
"""

RETURN = r"""
busy:
  description: Whether clients use the cluster.
  type: bool
  returned: always
reasons:
  description: Why the cluster counts as busy, one message for each kind of activity.
  type: list
  elements: str
  returned: always
  sample: ["5120 records were written within 5 s: orders (5120)"]
"""

import time
from typing import Any

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ..module_utils._kafka import activity, client, client_options, cluster, endpoints


def read(
    servers: str, config: dict[str, Any], seconds: float, timeout: float
) -> tuple[Any, Any, Any, float]:
    """Return end offsets before and after, states of groups, and seconds between.

    Raises ClusterError.
    """
    with cluster.ClusterConnection(servers, config, timeout + seconds) as connection:
        before = connection.read_end_offsets()
        started = time.monotonic()
        groups = connection.read_group_states()
        time.sleep(max(0.0, seconds - (time.monotonic() - started)))
        return before, connection.read_end_offsets(), groups, time.monotonic() - started


def main() -> None:
    """Read twice, and return the activity."""
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
    spec = client_options.full_argument_spec(module)
    try:
        before, after, groups, seconds = read(
            spec["bootstrap_servers"], spec["client_config"], spec["seconds"], spec["timeout"]
        )
    except endpoints.ClusterError as error:
        module.fail_json(msg=f"activity of the cluster cannot be read: {error}")
    found = activity.activity_messages(before, after, groups, round(seconds, 1))
    module.exit_json(changed=False, busy=bool(found), reasons=found)


if __name__ == "__main__":
    main()
