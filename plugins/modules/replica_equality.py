#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: replica_equality
short_description: Compare replicas of a broker with others, batch by batch
description:
  - Reads each partition from the broker and from another in-sync replica, from the first offset to
    the end at the time of the call. Compares offsets and checksums of the record batches.
  - Stops after O(seconds), and returns compared and unfinished partitions. The partition with the
    least progress is always compared next.
  - Compacted topics are omitted, because each replica compacts at its own time.
  - Fails if a difference is found.
extends_documentation_fragment: [metal.kafka.client, metal.kafka.only_reads]
options:
  broker:
    description: Id of the broker whose replicas are compared.
    type: int
    required: true
  log_dir:
    description: Log dir whose replicas are compared; without it, all log dirs.
    type: path
  seconds:
    description: Duration of the comparison in seconds.
    type: float
    default: 60
  timeout:
    description: Time limit of one request in seconds.
    type: float
    default: 20
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Check that the new disk has the same records as other replicas
  metal.kafka.replica_equality:
    bootstrap_servers: [kafka1:9092]
    broker: 2
    log_dir: /data/disk2/kafka
"""

RETURN = r"""
compared:
  description: Partitions that are equal from the first to the last offset.
  type: list
  elements: str
  returned: always
unfinished:
  description: Partitions that were not compared to the end; after an error with the reason.
  type: list
  elements: str
  returned: always
compacted:
  description: Partitions of compacted topics.
  type: list
  elements: str
  returned: always
different:
  description: One message for each difference.
  type: list
  elements: str
  returned: always
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ..module_utils._kafka import client, client_options, endpoints
from ..module_utils._replicas import broker_replicas, catch_up, log_dir_model, log_dirs


def select_partitions(
    connection: broker_replicas.ReplicaConnection, broker: int, path: str
) -> list[Any]:
    """Return the partitions with a replica in one log dir, or in all of them."""
    dirs = connection.dirs(broker)
    return list(
        broker_replicas.sizes_by_partition([log_dirs.find_dir(dirs, path)] if path else dirs)
    )


def main() -> None:
    """Compare replicas, and fail if there is a difference."""
    module = AnsibleModule(
        argument_spec={
            **client_options.ARGUMENTS,
            "broker": {"type": "int", "required": True},
            "log_dir": {"type": "path"},
            "seconds": {"type": "float", "default": 60},
            "timeout": {"type": "float", "default": 20},
        },
        supports_check_mode=True,
    )
    if client.MISSING:
        module.fail_json(msg=missing_required_lib("kafka-python"), exception=client.MISSING)
    spec = client_options.full_argument_spec(module)
    try:
        with broker_replicas.ReplicaConnection(
            spec["bootstrap_servers"], spec["client_config"], spec["timeout"]
        ) as connection:
            keys = select_partitions(connection, spec["broker"], spec["log_dir"])
            found = catch_up.verify(connection, spec["broker"], keys, spec["seconds"])
    except (endpoints.ClusterError, log_dir_model.LogDirError) as error:
        module.fail_json(msg=f"broker {spec['broker']}: {error}")
    if found["different"]:
        module.fail_json(msg="; ".join(found["different"]), **found)
    module.exit_json(changed=False, **found)


if __name__ == "__main__":
    main()
