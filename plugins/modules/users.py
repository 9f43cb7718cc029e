#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: users
short_description: SCRAM users are as declared
description:
  - Reads the credentials of all users in one request, and sets missing and different ones in
    another.
  - Kafka does not return passwords or hashes. To check a password, the module logs in with it at
    O(verify_bootstrap), for all users in parallel. The login sends no other request. A password
    that cannot be checked is not changed, and its user is in RV(unverified) and in a warning.
  - "A password changes in one step: at any time either the old or the new one is valid. Open
    connections stay open; with connections.max.reauth.ms brokers require the new password at the
    next reauthentication. New connections need the new password as soon as the module has run, so
    change clients right afterwards. The module waits until every responding address in
    O(verify_bootstrap) accepts the new password."
  - Undeclared users are never changed. Undeclared mechanisms of a declared user, which may keep an
    old password valid, are not changed either; they are reported in RV(foreign).
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
      Passwords by user, at least 8 characters. A user without a password here or in
      O(credentials) must already exist. Passwords of users that are not in O(users) are ignored.
    type: dict
    default: {}
  credentials:
    description: >-
      Hashed passwords by user, each a text such as
      C(SCRAM-SHA-512=[iterations=8192,salt=...,saltedpassword=...]), in Base64, or a list of them.
      The filter P(metal.kafka.scram_credential#filter) generates them. A hashed password is
      sufficient to log in, so keep it secret. Its iterations override those of the user.
    type: dict
    default: {}
  absent:
    description: Users whose credentials are removed. Open connections stay open.
    type: list
    elements: str
    default: []
  update_password:
    description: >-
      When the password of an existing credential is set. C(on_change) sets it if a login with it
      is rejected. C(on_create) never does. C(always) sets it in every run, which always reports a
      change.
    type: str
    choices: [on_change, on_create, always]
    default: on_change
attributes:
  check_mode:
    description: Checks passwords and changes nothing.
    support: full
  diff_mode:
    description: Shows the credentials that change, never a password.
    support: full
notes:
  - "O(users): each user has C(mechanisms), a list of SCRAM-SHA-512 (the default) and
    SCRAM-SHA-256, and C(iterations), 4096 to 16384 (default 8192)."
author: The kafka-metal authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Apply declared users
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
  description: Applied changes, in check mode planned ones; one message for each credential.
  type: list
  elements: str
  returned: success
  sample: ["user alice: SCRAM-SHA-512: the password differs"]
created:
  description: Names of users with new credentials.
  type: list
  elements: str
  returned: success
unverified:
  description: Users whose password could not be checked and was not changed, with the reason.
  type: dict
  returned: success
  sample: {alice: no listener to check it at is provided}
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
  description: True if it failed because no broker responded.
  type: bool
  returned: failure
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._content import resources


def main() -> None:
    """Apply the declared users."""
    module = AnsibleModule(argument_spec=resources.arguments("users"), supports_check_mode=True)
    module.exit_json(**resources.run(module, {"users": module.params}, "users")["users"])


if __name__ == "__main__":
    main()
