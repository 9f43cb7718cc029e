#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_content
short_description: Users, ACLs, quotas and topics are as declared
description:
  - Applies M(metal.kafka.users), M(metal.kafka.acls), M(metal.kafka.quotas) and
    M(metal.kafka.topics), in this order, over one connection.
  - Reads and plans all kinds before the first change. The cluster validates the steps where Kafka
    supports it. Kinds without declarations are not queried.
extends_documentation_fragment:
  - metal.kafka.client
  - metal.kafka.content
  - metal.kafka.content.login
  - metal.kafka.content.moves
  - metal.kafka.content.refused_steps
  - metal.kafka.content.removal
  - metal.kafka.content.unmanaged
options:
  content:
    description: >-
      By kind, C(users), C(acls), C(quotas) and C(topics), the options of M(metal.kafka.users),
      M(metal.kafka.acls), M(metal.kafka.quotas) and M(metal.kafka.topics) for the desired state.
      The filter P(metal.kafka.content_specs#filter) generates them from declarations.
    type: dict
    required: true
  passwords:
    description: Passwords by user, as in M(metal.kafka.users).
    type: dict
    default: {}
  applied:
    description: Content that earlier runs applied, by kind, as RV(applied) of the last run.
    type: dict
    default: {}
attributes:
  check_mode:
    description: Validates everything and changes nothing.
    support: full
  diff_mode:
    description: Shows the changes of each kind, never a password.
    support: full
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Apply the declared topics, users, ACLs and quotas
  metal.kafka.cluster_content:
    bootstrap_servers: [kafka1:9092]
    content:
      users: {users: {shop: {}}}
      acls:
        acls:
          - {principal: "User:shop", resource_type: topic, resource: payments, operation: write}
      topics: {topics: {payments: {partitions: 6, replication_factor: 3}}}
    passwords: {shop: "{{ vaulted_password_of_shop }}"}
"""

RETURN = r"""
content:
  description: By kind, the result of the module of that kind, without its diff.
  type: dict
  returned: success
steps:
  description: Applied steps, in check mode planned ones; one message for each step.
  type: list
  elements: str
  returned: success
  sample: ["payments: partitions 3 -> 6"]
notes:
  description: Messages on undeclared content of the cluster, and on content that is kept.
  type: list
  elements: str
  returned: success
refused:
  description: >-
    With O(refused_steps=report), one message for each step that the cluster would refuse now.
  type: list
  elements: str
  returned: success
applied:
  description: Applied content by kind, without values, to be stored for the next run.
  type: dict
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

from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ..module_utils._content import resource_options, resources
from ..module_utils._kafka import client_options

SHARED_OPTIONS = {
    **resource_options.LOGIN,
    **resource_options.MOVES,
    **resource_options.REFUSED_STEPS,
    **resource_options.UNMANAGED,
    **resource_options.REMOVAL,
}


def declared_arguments(module: AnsibleModule) -> dict[str, Any]:
    """Return the arguments of each kind with declared or applied content."""
    wanted = {}
    content, applied = module.params["content"], module.params["applied"]
    if unknown := sorted(set(content) - set(resources.KINDS)):
        _refuse(module, f"content: found {unknown[0]}; allowed: {', '.join(resources.KINDS)}")
    for kind, known in resources.KINDS.items():
        shared = {key: module.params[key] for key in SHARED_OPTIONS if key in known.arguments}
        own = {**(content.get(kind) or {}), "applied": applied.get(kind)}
        if any(own.values()):
            result = ArgumentSpecValidator(known.arguments).validate({**own, **shared})
            if result.error_messages:
                _refuse(module, f"{kind}: {'; '.join(result.error_messages)}")
            wanted[kind] = result.validated_parameters
    return wanted


def _refuse(module: AnsibleModule, message: str) -> None:
    """End the module with an error in its arguments, in the same form as errors of kinds."""
    module.fail_json(msg=message, errors=[message])


def main() -> None:
    """Apply the declared content, kind by kind."""
    module = AnsibleModule(
        argument_spec={
            **client_options.ARGUMENTS,
            "content": {"type": "dict", "required": True},
            "applied": {"type": "dict", "default": {}},
            **SHARED_OPTIONS,
            **resource_options.TIMEOUT,
        },
        supports_check_mode=True,
    )
    found = resources.run(module, declared_arguments(module), "content of the cluster")
    diffs = {kind: result.pop("diff") for kind, result in found.items()}
    module.exit_json(
        changed=any(result["changed"] for result in found.values()),
        content=found,
        steps=[step for result in found.values() for step in result["steps"]],
        notes=[note for result in found.values() for note in result["notes"]],
        refused=[text for result in found.values() for text in result.get("refused", [])],
        applied={kind: result["applied"] for kind, result in found.items()},
        diff=[{**diff, "prefix": kind} for kind, diff in diffs.items() if found[kind]["steps"]],
    )


if __name__ == "__main__":
    main()
