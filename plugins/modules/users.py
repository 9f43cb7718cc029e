#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: users
short_description: Users that log in with SCRAM are as declared
description:
  - Reads the credentials of all users in one request and sets those that are missing or differ,
    with all others in one request.
  - Kafka never tells a password, not even its hash. Whether a user's password is another than the
    desired one is found out by logging in with it at O(verify_bootstrap), all users side by side;
    such an attempt asks the cluster for nothing. A password that cannot be tried is left as it is,
    and its user is named under RV(unverified) and in a warning.
  - "A password is changed in one step: there is no moment in which neither the old nor the new one
    is valid. Connections that are open stay open; brokers that set connections.max.reauth.ms ask
    for the new one then. A client that is to change its password connects with the old one until
    this has run and with the new one from then on, so give it the new one right afterwards. After
    a change the module waits until the new password is accepted at every address of
    O(verify_bootstrap) that answers."
  - A user who is not declared is never touched. Nor is a mechanism of a declared user that is not
    declared, in which an old password may live on; it is told under RV(foreign).
extends_documentation_fragment:
  - metal.kafka.client
  - metal.kafka.content
  - metal.kafka.content.applied
  - metal.kafka.content.removal
  - metal.kafka.content.login
options:
  users:
    description: Users by name.
    type: dict
    default: {}
  passwords:
    description: >-
      Passwords by user, at least 8 characters. A user whose password is not here, nor in
      O(credentials), must exist already. Those of users who are not in O(users) are not used.
    type: dict
    default: {}
  credentials:
    description: >-
      Hashed passwords by user, each a text such as
      C(SCRAM-SHA-512=[iterations=8192,salt=...,saltedpassword=...]), in Base64, or a list of them,
      as the filter P(metal.kafka.scram_credential#filter) makes them. Whoever has one can log in
      with it. Their number of iterations wins over that of the user.
    type: dict
    default: {}
  absent:
    description: Users whose credentials are taken away. Connections that are open stay open.
    type: list
    elements: str
    default: []
  update_password:
    description: >-
      When a password that a user may have already is set: when logging in with it is refused, only
      with a new credential, or always, which is never unchanged.
    type: str
    choices: [on_change, on_create, always]
    default: on_change
attributes:
  check_mode:
    description: Passwords are tried, and nothing is changed.
    support: full
  diff_mode:
    description: Shows the credentials that change, never a password.
    support: full
notes:
  - "O(users): each user has C(mechanisms), a list of SCRAM-SHA-512 (which it is without) and
    SCRAM-SHA-256, and C(iterations), 4096 to 16384, 8192 without."
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Users are as declared
  metal.kafka.users:
    bootstrap_servers: [kafka1:9092]
    users:
      alice: {iterations: 8192}
      reports: {}
    passwords: "{{ kafka_content_passwords }}"
    verify_bootstrap: [kafka1:9094, kafka2:9094]
    absent: [mallory]
  no_log: true
"""

RETURN = r"""
steps:
  description: What was done, or in check mode would be, one message for each credential.
  type: list
  elements: str
  returned: success
  sample: ["user alice: SCRAM-SHA-512: the password is another"]
created:
  description: Names of users that had no credential.
  type: list
  elements: str
  returned: success
unverified:
  description: Users whose password could not be tried and was left as it is, with the reason.
  type: dict
  returned: success
  sample: {alice: no listener to try it at is given}
foreign:
  description: Credentials of declared users for mechanisms that are not declared.
  type: list
  elements: str
  returned: success
  sample: ["alice: SCRAM-SHA-256"]
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
    """Read, try, plan, apply, see it accepted."""
    module = AnsibleModule(argument_spec=resources.arguments("users"), supports_check_mode=True)
    module.exit_json(**resources.run(module, {"users": module.params}, "users")["users"])


if __name__ == "__main__":
    main()
