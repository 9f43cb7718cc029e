#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: replica_equality
short_description: Compare replicas of a broker with others, batch by batch
description:
  - Reads each partition from the broker and from another replica in sync, from the first offset to
    the end at the time of the call, and compares offsets and checksums of the record batches.
  - Stops when the time is up, and says what was compared and what was not. Each partition gets
    its turn.
  - Compacted topics are left out, because each replica compacts at its own time.
  - Fails when a difference is found.
extends_documentation_fragment: [metal.kafka.client, metal.kafka.only_reads]
options:
  broker:
    description: Id of the broker whose replicas are compared.
    type: int
    required: true
  log_dir:
    description: Compare the replicas in this log dir; without it, those of all log dirs.
    type: path
  seconds:
    description: How long to compare.
    type: float
    default: 60
  timeout:
    description: Seconds for the answer to one question.
    type: float
    default: 20
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: The new disk holds what the other replicas hold
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
  description: Partitions for which there was no time, or no answer, with the reason.
  type: list
  elements: str
  returned: always
compacted:
  description: Partitions of compacted topics.
  type: list
  elements: str
  returned: always
different:
  description: Messages on differences.
  type: list
  elements: str
  returned: always
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ..module_utils._kafka import client, client_options, endpoints
from ..module_utils._replicas import broker_replicas, catch_up, log_dir_model, log_dirs


def wanted(connection: broker_replicas.ReplicaConnection, broker: int, path: str) -> list[Any]:
    """Replicas in one log dir, or in all of them."""
    dirs = connection.dirs(broker)
    return list(broker_replicas.by_key([log_dirs.find(dirs, path)] if path else dirs))


def main() -> None:
    """Compare and answer; a difference is a failure."""
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
    spec = client_options.spec_of(module)
    try:
        with broker_replicas.ReplicaConnection(
            spec["bootstrap_servers"], spec["client_config"], spec["timeout"]
        ) as connection:
            keys = wanted(connection, spec["broker"], spec["log_dir"])
            found = catch_up.verify(connection, spec["broker"], keys, spec["seconds"])
    except (endpoints.ClusterError, log_dir_model.LogDirError) as error:
        module.fail_json(msg=f"broker {spec['broker']}: {error}")
    if found["different"]:
        module.fail_json(msg="; ".join(found["different"]), **found)
    module.exit_json(changed=False, **found)


if __name__ == "__main__":
    main()
