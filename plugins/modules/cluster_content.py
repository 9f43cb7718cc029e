#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_content
short_description: Users, ACLs, quotas and topics are as declared
description:
  - Does what M(metal.kafka.users), M(metal.kafka.acls), M(metal.kafka.quotas) and
    M(metal.kafka.topics) do, in this order, over one connection.
  - Everything is read, planned and, where Kafka can, judged by the cluster before the first change
    of any kind is made. What nothing is declared of is not looked at.
extends_documentation_fragment:
  - metal.kafka.client
  - metal.kafka.content
  - metal.kafka.content.login
  - metal.kafka.content.moves
  - metal.kafka.content.removal
  - metal.kafka.content.unmanaged
options:
  content:
    description: >-
      By kind, C(users), C(acls), C(quotas) and C(topics), the options of M(metal.kafka.users),
      M(metal.kafka.acls), M(metal.kafka.quotas) and M(metal.kafka.topics) that say what there is
      to be, as the filter P(metal.kafka.content_specs#filter) makes them of declarations.
    type: dict
    required: true
  passwords:
    description: Passwords by user, as M(metal.kafka.users) takes them.
    type: dict
    default: {}
  applied:
    description: What earlier runs applied, by kind, as the result RV(applied) of the last one.
    type: dict
    default: {}
attributes:
  check_mode:
    description: Everything is judged, and nothing is changed.
    support: full
  diff_mode:
    description: Shows what changes of each kind, never a password.
    support: full
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Content of the cluster is as declared
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
  description: By kind, what the module of that kind gives, without its diff.
  type: dict
  returned: success
steps:
  description: What was done, or in check mode would be, one message for each step.
  type: list
  elements: str
  returned: success
  sample: ["payments: partitions 3 -> 6"]
notes:
  description: What is in the cluster and not declared, and what is kept; one message for each.
  type: list
  elements: str
  returned: success
applied:
  description: By kind, what is applied now, to be kept for the next run; no values.
  type: dict
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

from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ..module_utils._content import resource_options, resources
from ..module_utils._kafka import client_options

BESIDE = {
    **resource_options.LOGIN,
    **resource_options.MOVES,
    **resource_options.UNMANAGED,
    **resource_options.REMOVAL,
}


def declared(module: AnsibleModule) -> dict[str, Any]:
    """Arguments of each kind of which something is declared, or was applied."""
    wanted = {}
    content, applied = module.params["content"], module.params["applied"]
    if unknown := sorted(set(content) - set(resources.KINDS)):
        _refuse(module, f"content: found {unknown[0]}; allowed: {', '.join(resources.KINDS)}")
    for kind, known in resources.KINDS.items():
        beside = {key: module.params[key] for key in BESIDE if key in known.arguments}
        ours = {**(content.get(kind) or {}), "applied": applied.get(kind)}
        if any(ours.values()):
            given = ArgumentSpecValidator(known.arguments).validate({**ours, **beside})
            if given.error_messages:
                _refuse(module, f"{kind}: {'; '.join(given.error_messages)}")
            wanted[kind] = given.validated_parameters
    return wanted


def _refuse(module: AnsibleModule, message: str) -> None:
    """End with a mistake in what was given: one of the errors, as those of kinds are."""
    module.fail_json(msg=message, errors=[message])


def main() -> None:
    """Read, plan, have it judged, apply, kind by kind."""
    module = AnsibleModule(
        argument_spec={
            **client_options.ARGUMENTS,
            "content": {"type": "dict", "required": True},
            "applied": {"type": "dict", "default": {}},
            **BESIDE,
            **resource_options.TIMEOUT,
        },
        supports_check_mode=True,
    )
    found = resources.run(module, declared(module), "content of the cluster")
    diffs = {kind: result.pop("diff") for kind, result in found.items()}
    module.exit_json(
        changed=any(result["changed"] for result in found.values()),
        content=found,
        steps=[step for result in found.values() for step in result["steps"]],
        notes=[note for result in found.values() for note in result["notes"]],
        applied={kind: result["applied"] for kind, result in found.items()},
        diff=[{**diff, "prefix": kind} for kind, diff in diffs.items() if found[kind]["steps"]],
    )


if __name__ == "__main__":
    main()
