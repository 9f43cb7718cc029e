#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_content_info
short_description: Topics, users, ACLs and quotas of a cluster
description:
  - Reads all content of a cluster except its records, in a few requests. The filter
    P(metal.kafka.content_declarations#filter) generates declarations from it.
  - Kafka's internal topics are omitted. Passwords cannot be read.
extends_documentation_fragment: [metal.kafka.client, metal.kafka.only_reads]
options:
  kinds:
    description: Kinds of content to read.
    type: list
    elements: str
    choices: [topics, users, acls, quotas]
    default: [topics, users, acls, quotas]
  timeout:
    description: Time limit for the cluster's responses, in seconds.
    type: float
    default: 30
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Read the cluster's topics, users, ACLs and quotas
  metal.kafka.cluster_content_info:
    bootstrap_servers: [kafka1:9092]
  register: content

- name: Write the content of the cluster to a file of declarations
  ansible.builtin.copy:
    content: "{{ content | metal.kafka.content_declarations | to_nice_yaml(sort_keys=false) }}"
    dest: content.yml
    mode: "0644"
  delegate_to: localhost
"""

RETURN = r"""
topics:
  description: >-
    Topics by name, each with C(partitions), C(replicas) (distinct replica counts of its
    partitions), C(placement) (broker ids by partition) and C(config) (keys that are set on it).
  type: dict
  returned: success
users:
  description: Number of iterations by user and mechanism.
  type: dict
  returned: success
  sample: {alice: {SCRAM-SHA-512: 8192}}
acls:
  description: ACLs, in the form of M(metal.kafka.acls).
  type: list
  elements: dict
  returned: success
quotas:
  description: Quotas, in the form of M(metal.kafka.quotas).
  type: list
  elements: dict
  returned: success
unread:
  description: Messages on content that cannot be read, for example ACLs without an authorizer.
  type: list
  elements: str
  returned: success
"""

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ..module_utils._content import content_client
from ..module_utils._kafka import client, client_options, endpoints


def main() -> None:
    """Read topics, users, ACLs and quotas, and return them."""
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
    spec = client_options.full_argument_spec(module)
    try:
        with content_client.AllContentConnection(
            spec["bootstrap_servers"], spec["client_config"], spec["timeout"]
        ) as connection:
            found = connection.read(spec["kinds"])
    except endpoints.ClusterError as error:
        module.fail_json(msg=f"content of the cluster cannot be read: {error}")
    module.exit_json(changed=False, **found)


if __name__ == "__main__":
    main()
