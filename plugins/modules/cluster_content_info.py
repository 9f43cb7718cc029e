#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_content_info
short_description: Topics, users, ACLs and quotas of a cluster
description:
  - Reads what is in a cluster beside its records, in a few requests however much it is. The filter
    P(metal.kafka.content_declarations#filter) makes declarations of it.
  - Topics of Kafka's own are left out. Passwords cannot be read.
extends_documentation_fragment: [metal.kafka.client, metal.kafka.only_reads]
options:
  kinds:
    description: What to read.
    type: list
    elements: str
    choices: [topics, users, acls, quotas]
    default: [topics, users, acls, quotas]
  timeout:
    description: Seconds until the cluster has to have answered.
    type: float
    default: 30
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Content of the cluster is known
  metal.kafka.cluster_content_info:
    bootstrap_servers: [kafka1:9092]
  register: content

- name: Content of the cluster stands in a file of declarations
  ansible.builtin.copy:
    content: "{{ content | metal.kafka.content_declarations | to_nice_yaml(sort_keys=false) }}"
    dest: content.yml
    mode: "0644"
  delegate_to: localhost
"""

RETURN = r"""
topics:
  description: >-
    Topics by name, each with C(partitions), C(replicas) (the numbers of replicas that its
    partitions have), C(placement) (broker ids by partition) and C(config), keys that are set on it.
  type: dict
  returned: success
users:
  description: Number of iterations by user and mechanism.
  type: dict
  returned: success
  sample: {alice: {SCRAM-SHA-512: 8192}}
acls:
  description: ACLs in the words of M(metal.kafka.acls).
  type: list
  elements: dict
  returned: success
quotas:
  description: Quotas in the words of M(metal.kafka.quotas).
  type: list
  elements: dict
  returned: success
unread:
  description: What the cluster does not tell, for example ACLs where there is no authorizer.
  type: list
  elements: str
  returned: success
"""

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ..module_utils._content import content_client
from ..module_utils._kafka import client, client_options, endpoints


def main() -> None:
    """Read."""
    kinds = list(content_client.KINDS)
    module = AnsibleModule(
        argument_spec={
            **client_options.ARGUMENTS,
            "kinds": {"type": "list", "elements": "str", "choices": kinds, "default": kinds},
            "timeout": {"type": "float", "default": 30},
        },
        supports_check_mode=True,
    )
    if client.MISSING:
        module.fail_json(msg=missing_required_lib("kafka-python"), exception=client.MISSING)
    spec = client_options.spec_of(module)
    try:
        with content_client.Everything(
            spec["bootstrap_servers"], spec["client_config"], spec["timeout"]
        ) as connection:
            found = connection.read(spec["kinds"])
    except endpoints.ClusterError as error:
        module.fail_json(msg=f"content of the cluster is unknown: {error}")
    module.exit_json(changed=False, **found)


if __name__ == "__main__":
    main()
