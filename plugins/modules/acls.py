#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

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
extends_documentation_fragment: [metal.kafka.client]
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
  timeout:
    description: Seconds that one request may take until all brokers go by it.
    type: float
    default: 60
attributes:
  check_mode:
    description: The plan is made of what the cluster has, and nothing is changed.
    support: full
  diff_mode:
    description: Shows the ACLs that are added and removed.
    support: full
author: The kafka-metal authors
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
    acls: "{{ (kafka_content_users | metal.kafka.acl_wishes).acls }}"
"""

RETURN = r"""
steps:
  description: What was done, or in check mode would be, one sentence for each ACL.
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
  description: ACLs of declared principals that are not declared, one sentence for each.
  type: list
  elements: str
  returned: success
errors:
  description: One sentence for each wish that cannot be met.
  type: list
  elements: str
  returned: failure
"""

from ansible.module_utils.basic import AnsibleModule, missing_required_lib
from ansible_collections.metal.kafka.plugins.module_utils import access, cluster
from ansible_collections.metal.kafka.plugins.module_utils.content import acl_connection, acls

ACL = {
    "principal": {"type": "str", "required": True},
    "resource_type": {"type": "str", "required": True, "choices": list(acls.OPERATIONS)},
    "resource": {"type": "str", "required": True},
    "operation": {"type": "str", "required": True},
    "pattern": {"type": "str", "choices": ["literal", "prefixed"], "default": "literal"},
    "permission": {"type": "str", "choices": ["allow", "deny"], "default": "allow"},
    "host": {"type": "str", "default": "*"},
}


def main():
    """Read, plan, apply, wait."""
    module = AnsibleModule(
        argument_spec={
            **access.ARGUMENTS,
            "acls": {"type": "list", "elements": "dict", "default": [], "options": ACL},
            "absent": {"type": "list", "elements": "dict", "default": [], "options": ACL},
            "absent_principals": {"type": "list", "elements": "str", "default": []},
            "timeout": {"type": "float", "default": 60},
        },
        supports_check_mode=True,
    )
    if cluster.MISSING:
        module.fail_json(msg=missing_required_lib("kafka-python"), exception=cluster.MISSING)
    wish = access.wish_of(module)
    try:
        wishes = acls.wishes_of(wish)
        with acl_connection.AclConnection(
            wish["bootstrap_servers"], wish["client_config"], wish["timeout"]
        ) as store:
            steps, foreign = acls.converge(store, wishes, dry=module.check_mode)
    except acls.AclError as error:
        module.fail_json(msg="; ".join(error.sentences), errors=error.sentences)
    except cluster.ClusterError as error:
        module.fail_json(msg=f"acls: {error}", errors=[str(error)])
    added = sum(isinstance(step, acls.Grant) for step in steps)
    module.exit_json(
        changed=bool(steps),
        steps=[str(step) for step in steps],
        added=added,
        removed=len(steps) - added,
        foreign=[str(acl) for acl in foreign],
        diff=acls.difference(steps),
    )


if __name__ == "__main__":
    main()
