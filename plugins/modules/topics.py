#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: topics
short_description: Topics are as declared
description:
  - Creates topics, adds partitions and sets keys, in a few requests for any number of topics. The
    cluster validates every step before the first one is applied, so a wrong declaration changes
    nothing.
  - A topic is deleted only if it is in both O(absent) and O(confirm_delete). Kafka's internal
    topics, whose names start with C(__), are never deleted.
  - A key that is declared as null, or that earlier runs applied and that is no longer declared,
    returns to the cluster's default. A key that was set by hand is reported and kept, as is a
    topic that is no longer declared.
  - Only keys that are set on the topic itself are compared. A declared key is set on the topic
    even when it equals the cluster's default, so that the topic keeps it when the default changes.
extends_documentation_fragment:
  - metal.kafka.client
  - metal.kafka.content
  - metal.kafka.content.applied
  - metal.kafka.content.removal
  - metal.kafka.content.unmanaged
  - metal.kafka.content.moves
  - metal.kafka.content.refused_steps
options:
  topics:
    description: >-
      Topics by name, each with C(partitions), C(replication_factor) and C(config), a dictionary
      of Kafka's topic keys. The number of partitions can only grow. An omitted number is the
      cluster's default for a new topic and not compared for an existing one. C(placement), a list
      with a list of broker ids for each partition, replaces both numbers.
    type: dict
    default: {}
  absent:
    description: Names of topics to delete.
    type: list
    elements: str
    default: []
  confirm_delete:
    description: Names of topics in O(absent) whose records may be lost.
    type: list
    elements: str
    default: []
  batch:
    description: >-
      Number of topics created by one request, with at most four times as many partitions. Brokers
      create topics one by one, so larger requests would time out.
    type: int
    default: 50
attributes:
  check_mode:
    description: The cluster validates every step and nothing is changed.
    support: full
  diff_mode:
    description: Shows partitions and keys of the topics that change.
    support: full
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Apply declared topics
  metal.kafka.topics:
    bootstrap_servers: [kafka1:9092]
    topics:
      payments:
        partitions: 6
        replication_factor: 3
        config:
          retention.ms: 604800000
          cleanup.policy: [compact, delete]
    absent: [old_payments]
    confirm_delete: [old_payments]
"""

RETURN = r"""
created:
  description: Names of created topics.
  type: list
  elements: str
  returned: success
deleted:
  description: Names of deleted topics.
  type: list
  elements: str
  returned: success
refused:
  description: With O(refused_steps=report), one message for each step that would be refused now.
  type: list
  elements: str
  returned: success
reassign:
  description: Names of topics whose replicas have to move.
  type: list
  elements: str
  returned: success
steps:
  description: Applied steps, in check mode planned ones; one message for each step.
  type: list
  elements: str
  returned: success
  sample: ["payments: partitions 3 -> 6", "orders: retention.ms (default) -> 604800000"]
errors:
  description: One message for each topic that cannot be applied, with its value and the reason.
  type: list
  elements: str
  returned: failure
unanswered:
  description: True if it failed because no broker responded.
  type: bool
  returned: failure
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._content import resources


def main() -> None:
    """Apply the declared topics."""
    module = AnsibleModule(argument_spec=resources.arguments("topics"), supports_check_mode=True)
    module.exit_json(**resources.run(module, {"topics": module.params}, "topics")["topics"])


if __name__ == "__main__":
    main()
