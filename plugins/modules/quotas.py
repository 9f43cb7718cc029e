#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: quotas
short_description: Client quotas are as declared
description:
  - Reads all quotas in one request, lets the cluster validate every change, and then applies the
    changes in bulk. They are effective immediately, without restarts.
  - Undeclared quotas, and undeclared keys of quotas, keep their values.
extends_documentation_fragment:
  - metal.kafka.client
  - metal.kafka.content
  - metal.kafka.content.applied
  - metal.kafka.content.removal
  - metal.kafka.content.refused_steps
options:
  quotas:
    description: >-
      Desired quotas. Each is for a user, a client id, both together, or an IP address. The name
      C(*) is the default for all without their own quota.
    type: list
    elements: dict
    default: []
    suboptions:
      user:
        description: Name of the user.
        type: str
      client:
        description: Client id.
        type: str
      ip:
        description: Address.
        type: str
      values:
        description: >-
          Kafka's keys and their values. C(producer_byte_rate) and C(consumer_byte_rate) are bytes
          per second per broker. C(request_percentage) is thread time of a broker, where 100 is one
          thread. C(controller_mutation_rate) is partitions created or deleted per second. An
          address has C(connection_creation_rate), connections per second.
        type: dict
        required: true
  absent:
    description: Quotas to remove; without C(keys) all their keys.
    type: list
    elements: dict
    default: []
    suboptions:
      user:
        description: Name of the user.
        type: str
      client:
        description: Client id.
        type: str
      ip:
        description: Address.
        type: str
      keys:
        description: Kafka's keys to remove.
        type: list
        elements: str
        default: []
  absent_users:
    description: Users that lose all quotas, also those combined with a client id.
    type: list
    elements: str
    default: []
attributes:
  check_mode:
    description: The cluster validates every step and nothing is changed.
    support: full
  diff_mode:
    description: Shows the keys that change.
    support: full
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Limit user reports to 10 MB/s per broker, and all other users to 50 MB/s
  metal.kafka.quotas:
    bootstrap_servers: [kafka1:9092]
    quotas:
      - {user: reports, values: {producer_byte_rate: 10000000}}
      - {user: '*', values: {producer_byte_rate: 50000000}}
"""

RETURN = r"""
steps:
  description: Applied changes, in check mode planned ones; one message for each quota.
  type: list
  elements: str
  returned: success
  sample: ["quota of user reports: producer_byte_rate (none) -> 10000000"]
refused:
  description: With O(refused_steps=report), one message for each step that would be refused now.
  type: list
  elements: str
  returned: success
errors:
  description: One message for each declaration that cannot be applied.
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
    """Apply the declared quotas."""
    module = AnsibleModule(argument_spec=resources.arguments("quotas"), supports_check_mode=True)
    module.exit_json(**resources.run(module, {"quotas": module.params}, "quotas")["quotas"])


if __name__ == "__main__":
    main()
