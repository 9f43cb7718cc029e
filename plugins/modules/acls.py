#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: acls
short_description: ACLs are as declared
description:
  - Reads all ACLs in one request, makes those that are missing in bulk, takes away those that are
    to be absent, and waits until every broker that answers goes by them.
  - New ACLs come before old ones go, and when one cannot be made, none goes, so that nobody loses
    access on the way. An interrupted run is completed by the next one.
  - An ACL that is neither declared nor to be absent is never touched. Those of declared principals
    are told under RV(foreign).
  - Kafka has no request that judges ACLs without making them. In check mode the plan is made of
    what the cluster has.
extends_documentation_fragment:
  - metal.kafka.client
  - metal.kafka.content
  - metal.kafka.content.applied
  - metal.kafka.content.removal
options:
  acls:
    description: ACLs that there should be.
    type: list
    elements: dict
    default: []
    suboptions: &acl
      principal:
        description: Whom it is for, such as C(User:alice).
        type: str
        required: true
      resource_type:
        description: Kind of the resource.
        type: str
        required: true
        choices: [topic, group, cluster, transactional_id, delegation_token, user]
      resource:
        description: Its name, C(*) for all, C(kafka-cluster) for the cluster.
        type: str
        required: true
      operation:
        description: One operation, as Kafka's tools name it, in lower case.
        type: str
        required: true
      pattern:
        description: Whether the name is meant as it is, or as the beginning of names.
        type: str
        choices: [literal, prefixed]
        default: literal
      permission:
        description: Whether it allows or denies.
        type: str
        choices: [allow, deny]
        default: allow
      host:
        description: Address that the client comes from, C(*) for any.
        type: str
        default: '*'
  absent:
    description: ACLs that there should not be.
    type: list
    elements: dict
    default: []
    suboptions: *acl
  absent_principals:
    description: Principals of which every ACL is taken away.
    type: list
    elements: str
    default: []
attributes:
  check_mode:
    description: The plan is made of what the cluster has, and nothing is changed.
    support: full
  diff_mode:
    description: Shows the ACLs that are added and removed.
    support: full
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Alice reads payments, and nobody else does with her name
  metal.kafka.acls:
    bootstrap_servers: [kafka1:9092]
    acls:
      - {principal: "User:alice", resource_type: topic, resource: payments, operation: read}
    absent_principals: ["User:mallory"]

- name: ACLs are as declared, by role
  metal.kafka.acls:
    bootstrap_servers: [kafka1:9092]
    acls: "{{ ({'users': kafka_content_users} | metal.kafka.content_specs).acls.acls }}"
"""

RETURN = r"""
steps:
  description: What was done, or in check mode would be, one message for each ACL.
  type: list
  elements: str
  returned: success
  sample: ["add: User:alice may read topic payments"]
added:
  description: Number of ACLs that were added.
  type: int
  returned: success
removed:
  description: Number of ACLs that were removed.
  type: int
  returned: success
foreign:
  description: ACLs of declared principals that are not declared, one message for each.
  type: list
  elements: str
  returned: success
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
    """Read, plan, apply, wait."""
    module = AnsibleModule(argument_spec=resources.arguments("acls"), supports_check_mode=True)
    module.exit_json(**resources.run(module, {"acls": module.params}, "acls")["acls"])


if __name__ == "__main__":
    main()
