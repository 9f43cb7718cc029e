#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: quotas
short_description: Client quotas are as declared
description:
  - Reads all quotas in one request, has every change judged by the cluster, and then makes the
    changes in bulk. They work at once, without restarts.
  - A quota, or a key of one, that is no longer declared keeps its value.
extends_documentation_fragment:
  - metal.kafka.client
  - metal.kafka.content
  - metal.kafka.content.applied
  - metal.kafka.content.removal
options:
  quotas:
    description: >-
      Quotas that there should be. Each is for a user, a client id, both together, or an address.
      The name C(*) means each one that has none of its own.
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
          per second and broker, C(request_percentage) is time of the threads of a broker, where
          100 is one thread, C(controller_mutation_rate) partitions created or deleted per second;
          for an address C(connection_creation_rate), connections per second.
        type: dict
        required: true
  absent:
    description: Quotas that there should not be; without C(keys) none of its keys.
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
        description: Kafka's keys to take away.
        type: list
        elements: str
        default: []
  absent_users:
    description: Users of which every quota is taken away, also those together with a client id.
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
- name: Reports write at most 10 MB/s to each broker, and nobody else more than 50
  metal.kafka.quotas:
    bootstrap_servers: [kafka1:9092]
    quotas:
      - {user: reports, values: {producer_byte_rate: 10000000}}
      - {user: '*', values: {producer_byte_rate: 50000000}}
"""

RETURN = r"""
steps:
  description: What was done, or in check mode would be, one message for each quota.
  type: list
  elements: str
  returned: success
  sample: ["quota of user reports: producer_byte_rate (none) -> 10000000"]
errors:
  description: One message for each declaration that cannot be applied.
  type: list
  elements: str
  returned: failure
unanswered:
  description: True when it failed because no broker answered.
  type: bool
  returned: failure
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._content import resources


def main() -> None:
    """Read, plan, have it judged, apply, compare again."""
    module = AnsibleModule(argument_spec=resources.arguments("quotas"), supports_check_mode=True)
    module.exit_json(**resources.run(module, {"quotas": module.params}, "quotas")["quotas"])


if __name__ == "__main__":
    main()
