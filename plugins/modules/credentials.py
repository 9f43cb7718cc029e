#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: credentials
author: The kafka-metal authors (!UNKNOWN)
short_description: CA, certificates and passwords of a cluster, on the control node
description:
  - >-
    Keeps one file per cluster, encrypted with Ansible Vault, which holds the CA with its key, a
    certificate with its key for each member, and passwords. Makes what is missing, renews what is
    due and says why. The lookup P(metal.kafka.secret#lookup) hands single secrets to templates.
  - Runs as an action plugin on the control node, once for all hosts; no host is asked.
  - Returns, logs and diffs no secret. Hence no C(no_log), which would hide what it has to say.
  - >-
    All specs are checked before anything is written. A change that would make members lose each
    other while it is rolled out is refused; O(phase=replace) makes it all the same.
options:
  store: {description: The encrypted file. Its folder is made for its owner alone.,
    type: path, required: true}
  password_file:
    description:
      - >-
        The password of the store: a file, or a script that prints it, as for
        C(ansible-playbook --vault-password-file). When there is neither file nor store, a random
        password is made there.
      - Empty for the vault passwords that this run of Ansible was given.
    type: path
    default: ~/.config/kafka-metal/vault-password
  cluster: {description: 'Name of the cluster, the organization (O) in every certificate.',
    type: str, required: true}
  ca:
    description: The CA, made here unless the site brings its own.
    type: dict
    default: {}
    suboptions:
      common_name:
        description: >-
          Name of the CA, by default the cluster's name and "CA"; its number is added ("G1").
        type: str
      days: {description: How long a CA that is made here is valid., type: int, default: 3650}
      certificate_file:
        description: >-
          PEM of the site's own CA, followed by those above it up to the root. Read into the store;
          neither file is needed afterwards.
        type: path
      key_file:
        description: >-
          PEM of its key without a passphrase; may be encrypted with the store's password.
        type: path
      directory:
        description: >-
          Ready-made certificates instead of a CA: C(NAME.crt) (with intermediates) and C(NAME.key)
          for each of O(certificates), and C(ca.crt) with the trusted roots. They are validated;
          keys may be encrypted with the store's password.
        type: path
      trusted_file: {description: PEM of further roots that members trust., type: path}
  certificates:
    description: The certificates that members and clients need.
    type: list
    elements: dict
    default: []
    suboptions:
      name: {description: Its name in the store and in lookups., type: str, required: true}
      common_name: {description: CN of the subject; the name by default., type: str}
      dns: {description: Host names., type: list, elements: str, default: []}
      ips: {description: Addresses of IPv4 or IPv6., type: list, elements: str, default: []}
      usages:
        description: >-
          What it is for. A server needs at least one of O(certificates[].dns) and
          O(certificates[].ips).
        type: list
        elements: str
        choices: [server, client]
        default: [server, client]
      days:
        description: >-
          How long it is valid; never longer than its CA. Another number counts from the next
          renewal.
        type: int
        default: 397
      authority:
        description: >-
          Who issues it: the platform's CA, or that of the ensemble's quorum, which is
          made here and which nothing else trusts.
        type: str
        choices: [platform, quorum]
        default: platform
  passwords: {description: 'Names of passwords; each is made of 192 random bits, 32 characters.',
    type: list, elements: str, default: []}
  given_passwords: {description: 'Values that the site sets, by names of O(passwords).',
    type: dict, default: {}}
  renew_before_days:
    description: >-
      A certificate is renewed when it has fewer days left, or less than a third of its life when
      that is shorter.
    type: int
    default: 30
  rotate:
    description:
      - What is made anew although nothing is wrong with it.
      - The value before stays in the store beside a password (C(previous_password:NAME)).
      - >-
        V(quorum) moves the quorum of the ensemble to a CA of its own, or back to the platform's, as
        O(quorum_ca) says; where it is there, nothing changes. Its CA is made anew with V(ca).
    type: str
    choices: [none, certificates, ca, passwords, quorum]
    default: none
  names:
    description: >-
      With O(rotate=certificates) and O(rotate=passwords) only these; all without names, except
      for given passwords.
    type: list
    elements: str
    default: []
  quorum_ca:
    description: >-
      Whose certificates servers of the ensemble show and trust on their quorum ports. A new store
      begins like that; one of before is taken there by O(rotate=quorum).
    type: str
    choices: [own, platform]
    default: own
  phase:
    description:
      - >-
        With O(rotate=ca) and O(rotate=quorum). V(trust) adds a new CA to what is trusted,
        V(issue) makes all certificates anew with it, V(drop) removes the old one. Roll out each
        before the next.
        A phase that is done already changes nothing, so that an interrupted rotation can begin
        again.
      - >-
        V(replace) does all at once, for a CA that has expired or that somebody else has the key
        of: members lose each other until all of them have been rolled out.
    type: str
    choices: [trust, issue, drop, replace]
  purge: {description: Removes secrets that are not named here., type: bool, default: false}
  purge_passwords: {description: The same of passwords alone., type: bool, default: false}
  machines:
    description:
      - >-
        What each machine has of the cluster, C(members) of M(metal.kafka.machine_info). Where
        machines trust CAs and the store, or the generation before it, has none of them, the cluster
        was made from another store: new keys and passwords would part its members and shut its
        users out. That is refused.
      - >-
        Where there is no store, whatever could not be read is refused as well, for the cluster may
        have keys.
    type: list
    elements: dict
    default: []
    suboptions:
      name: {description: 'Name of the machine, for messages.', type: str, default: ""}
      asked: {description: Whether the run reached it., type: bool, default: true}
      running: {description: Containers of the cluster that run.,
        type: list, elements: str, default: []}
      configured: {description: Services of the cluster that have a folder of configuration.,
        type: list, elements: str, default: []}
      roots: {description: Fingerprints (SHA-256) of the CAs that these services trust.,
        type: list, elements: str, default: []}
      data: {description: Directories that hold data of Kafka or its metadata.,
        type: list, elements: path, default: []}
      unread: {description: 'What could not be read, each with the reason.',
        type: list, elements: str, default: []}
  anew:
    description: >-
      Name of the cluster, to give one whose store is lost new keys and passwords all the same. None
      of its containers may run, and every machine must have been asked.
    type: str
    default: ""
attributes:
  check_mode: {description: 'Says what would be made, and writes nothing.', support: full}
  diff_mode: {description: 'Names, dates and hosts; no secrets.', support: full}
"""

EXAMPLES = r"""
- name: Secrets of the cluster are in order
  metal.kafka.credentials:
    store: inventories/payments/.kafka-metal/payments/store.vault
    cluster: payments
    certificates:
      - {name: kafka1, dns: [kafka1, kafka1.example.com], ips: [10.0.0.1]}
      - {name: alice, usages: [client]}
    passwords: [alice, broker]
  run_once: true
  register: credentials

- name: A new CA is trusted beside the present one
  metal.kafka.credentials:
    store: inventories/payments/.kafka-metal/payments/store.vault
    cluster: payments
    certificates: "{{ certificates }}"
    rotate: ca
    phase: trust
"""

RETURN = r"""
steps:
  description: >-
    What changes, as messages such as "certificate kafka1: issued, valid until 2027-11-02".
  type: list
  elements: str
  returned: always
notes: {description: 'What an operator should know besides, such as a CA that ends soon.',
  type: list, elements: str, returned: always}
expiry:
  description: >-
    Every certificate of the store and every trusted root: C(kind) (certificate or root), C(name),
    C(subject), C(issuer), C(serial), C(fingerprint) (SHA-256), C(not_after) (UTC) and
    C(days_left).
  type: list
  elements: dict
  returned: always
ca:
  description: >-
    C(fingerprints) of the trusted roots, C(issuer) (fingerprint of the CA that issues, empty with
    ready-made certificates), C(rotation) (none, trusted or issued).
  type: dict
  returned: always
quorum:
  description: >-
    Whose certificates servers of the ensemble show and trust among each other: V(platform), V(own),
    or on the way V(trusted) (both are trusted) and V(shown) (its own are shown, both are trusted).
  type: str
  returned: always
unused: {description: 'What the store holds and no option names, such as "password bob".',
  type: list, elements: str, returned: always}
exposed:
  description: >-
    Secrets that were made before the release that ended the last exposure of secrets, such as
    "password bob". They are to be rotated.
  type: list
  elements: str
  returned: always
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._services.credential_options import OPTIONS


def main() -> None:
    module = AnsibleModule(argument_spec=OPTIONS, supports_check_mode=True)
    module.fail_json(msg="metal.kafka.credentials is an action plugin; it runs on no host")


if __name__ == "__main__":
    main()
