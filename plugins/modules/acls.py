#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: acls
short_description: ACLs are as declared
description:
  - Reads all ACLs in one request, creates missing ones in bulk, deletes absent ones, and waits
    until every responding broker enforces the result.
  - New ACLs are created before old ones are deleted. If one cannot be created, none is deleted, so
    no client loses access. The next run completes an interrupted one.
  - An ACL that is neither declared nor under O(absent) is never changed. Those of declared
    principals are reported in RV(foreign).
  - Kafka cannot validate ACLs without creating them. In check mode the plan is derived from the
    current ACLs.
extends_documentation_fragment:
  - metal.kafka.client
  - metal.kafka.content
  - metal.kafka.content.applied
  - metal.kafka.content.removal
options:
  acls:
    description: Desired ACLs.
    type: list
    elements: dict
    default: []
    suboptions: &acl
      principal:
        description: Principal of the client, such as C(User:alice).
        type: str
        required: true
      resource_type:
        description: Type of the resource.
        type: str
        required: true
        choices: [topic, group, cluster, transactional_id, delegation_token, user]
      resource:
        description: Name of the resource; C(*) for all, C(kafka-cluster) for the cluster.
        type: str
        required: true
      operation:
        description: Operation, with Kafka's name in lower case.
        type: str
        required: true
      pattern:
        description: Whether O(acls[].resource) is a name, or the prefix of names.
        type: str
        choices: [literal, prefixed]
        default: literal
      permission:
        description: Whether the ACL allows or denies the operation.
        type: str
        choices: [allow, deny]
        default: allow
      host:
        description: Address of the client; C(*) for any.
        type: str
        default: '*'
  absent:
    description: ACLs to delete.
    type: list
    elements: dict
    default: []
    suboptions: *acl
  absent_principals:
    description: Principals that lose all their ACLs.
    type: list
    elements: str
    default: []
attributes:
  check_mode:
    description: Plans from the current ACLs and changes nothing.
    support: full
  diff_mode:
    description: Shows added and removed ACLs.
    support: full
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Allow alice to read payments, and remove all ACLs of mallory
  metal.kafka.acls:
    bootstrap_servers: [kafka1:9092]
    acls:
      - {principal: "User:alice", resource_type: topic, resource: payments, operation: read}
    absent_principals: ["User:mallory"]

- name: Apply ACLs of declared roles
  metal.kafka.acls:
    bootstrap_servers: [kafka1:9092]
    acls: "{{ ({'users': kafka_content_users} | metal.kafka.content_specs).acls.acls }}"
"""

RETURN = r"""
steps:
  description: Applied changes, in check mode planned ones; one message for each ACL.
  type: list
  elements: str
  returned: success
  sample: ["add: User:alice may read topic payments"]
added:
  description: Number of added ACLs.
  type: int
  returned: success
removed:
  description: Number of removed ACLs.
  type: int
  returned: success
foreign:
  description: Undeclared ACLs of declared principals, one message for each.
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
    """Apply the declared ACLs."""
    module = AnsibleModule(argument_spec=resources.arguments("acls"), supports_check_mode=True)
    module.exit_json(**resources.run(module, {"acls": module.params}, "acls")["acls"])


if __name__ == "__main__":
    main()
