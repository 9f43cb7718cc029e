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
    certificate with its key for each member, and passwords. Creates missing secrets, renews
    expiring certificates and reports why. The lookup P(metal.kafka.secret#lookup) reads secrets.
  - Runs as an action plugin on the control node, once for all hosts; it connects to no host.
  - Returns, logs and diffs no secret, so C(no_log) is not needed, which would hide its messages.
  - >-
    All parameters are checked before anything is written. A change that would disconnect members
    while it is rolled out is refused, except with O(phase=replace).
options:
  store: {description: 'The encrypted file. Its directory is created with mode 0700.',
    type: path, required: true}
  password_file:
    description:
      - >-
        The password of the store: a file, or a script that prints it, as for
        C(ansible-playbook --vault-password-file). If neither file nor store exists, a random
        password is created there.
      - Empty to use the vault passwords of this run of Ansible.
    type: path
    default: ~/.config/kafka-metal/vault-password
  cluster: {description: 'Name of the cluster, the organization (O) in every certificate.',
    type: str, required: true}
  ca:
    description: The CA, created here unless the site provides its own.
    type: dict
    default: {}
    suboptions:
      common_name:
        description: >-
          Name of the CA, by default the cluster's name and "CA"; its number is added ("G1").
        type: str
      days: {description: Validity in days of a CA that is created here., type: int, default: 3650}
      certificate_file:
        description: >-
          PEM of the site's own CA, followed by its issuers up to the root. Imported into the store;
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
      name: {description: Name in the store and in lookups., type: str, required: true}
      common_name: {description: CN of the subject; the name by default., type: str}
      dns: {description: Host names., type: list, elements: str, default: []}
      ips: {description: Addresses of IPv4 or IPv6., type: list, elements: str, default: []}
      usages:
        description: >-
          Key usages of the certificate. A server needs at least one of O(certificates[].dns) and
          O(certificates[].ips).
        type: list
        elements: str
        choices: [server, client]
        default: [server, client]
      days:
        description: >-
          Validity in days; never longer than its CA. A change takes effect at the next
          renewal.
        type: int
        default: 397
      authority:
        description: >-
          CA that issues it: the platform's, or that of the metadata quorum, which is
          created here and not trusted by other services.
        type: str
        choices: [platform, quorum]
        default: platform
  passwords: {description: 'Names of passwords; each has 192 random bits, in 32 characters.',
    type: list, elements: str, default: []}
  provided_passwords: {description: 'Values that the site sets, by names of O(passwords).',
    type: dict, default: {}}
  renew_before_days:
    description: >-
      A certificate is renewed if it has fewer days left, or less than a third of its validity if
      that is shorter.
    type: int
    default: 30
  rotate:
    description:
      - Secrets to replace although they are valid.
      - The store keeps the previous value of a password too (C(previous_password:NAME)).
      - >-
        V(quorum) moves the metadata quorum to a CA of its own, or back to the platform's, as set
        by O(quorum_ca); nothing changes if it is there. V(ca) also replaces the quorum's CA.
    type: str
    choices: [none, certificates, ca, passwords, quorum]
    default: none
  names:
    description: >-
      With O(rotate=certificates) and O(rotate=passwords) only these; empty means all, except
      passwords that the site sets.
    type: list
    elements: str
    default: []
  quorum_ca:
    description: >-
      Issuer of the certificates that metadata servers use on their quorum ports. A
      new store starts with it; an existing one is migrated with O(rotate=quorum).
    type: str
    choices: [own, platform]
    default: own
  phase:
    description:
      - >-
        With O(rotate=ca) and O(rotate=quorum). V(trust) adds a new CA to the trusted ones,
        V(issue) reissues all certificates with it, V(drop) removes the old one. Roll out each phase
        before the next. A completed phase changes nothing, so that an interrupted rotation can be
        repeated.
      - >-
        V(replace) does all at once, for an expired CA or a compromised key. Members cannot connect
        to each other until all of them have been rolled out.
    type: str
    choices: [trust, issue, drop, replace]
  purge: {description: Whether to remove unlisted secrets., type: bool, default: false}
  purge_passwords: {description: Whether to remove unlisted passwords., type: bool, default: false}
  machines:
    description:
      - >-
        State of the cluster on each machine, C(cluster) of M(metal.kafka.machine_info). If machines
        trust CAs and neither the store nor its previous generation has one of them, the cluster was
        created from another store. New keys and passwords would disconnect its members and users,
        so they are refused.
      - >-
        Without a store, a machine that could not be read is refused as well: the cluster may have
        keys.
    type: list
    elements: dict
    default: []
    suboptions:
      name: {description: 'Name of the machine, for messages.', type: str, default: ""}
      reached: {description: Whether the run reached the machine., type: bool, default: true}
      running: {description: Running containers of the cluster.,
        type: list, elements: str, default: []}
      configured: {description: Services of the cluster with a configuration directory.,
        type: list, elements: str, default: []}
      roots: {description: Fingerprints (SHA-256) of the CAs that these services trust.,
        type: list, elements: str, default: []}
      data: {description: Directories with data of Kafka or its metadata service.,
        type: list, elements: path, default: []}
      unreadable: {description: 'Files that could not be read, each with the reason.',
        type: list, elements: str, default: []}
  replace_keys_of:
    description: >-
      Name of the cluster, to create new keys and passwords although the store of an existing
      cluster is lost. None of its containers may run, and every machine must have been read.
    type: str
    default: ""
attributes:
  check_mode: {description: 'Reports what would change, and writes nothing.', support: full}
  diff_mode: {description: 'Names, dates and hosts; no secrets.', support: full}
"""

EXAMPLES = r"""
- name: Create or renew the cluster's secrets
  metal.kafka.credentials:
    store: inventories/payments/.kafka-metal/payments/store.vault
    cluster: payments
    certificates:
      - {name: kafka1, dns: [kafka1, kafka1.example.com], ips: [10.0.0.1]}
      - {name: alice, usages: [client]}
    passwords: [alice, broker]
  run_once: true
  register: credentials

- name: Trust a new CA in addition to the current one
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
    Changes, as messages such as "certificate kafka1: issued, valid until 2027-11-02".
  type: list
  elements: str
  returned: always
notes: {description: 'Further notes for the operator, such as a CA that expires soon.',
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
    C(fingerprints) of the trusted roots, C(issuer) (fingerprint of the issuing CA, empty with
    ready-made certificates), C(rotation) (none, trusted or issued).
  type: dict
  returned: always
quorum:
  description: >-
    CA of the metadata quorum: V(platform), V(own), or during a migration V(trusted)
    (both are trusted) and V(shown) (certificates of its own are in use, both are trusted).
  type: str
  returned: always
digests:
  description: >-
    Digests of the store before and after the change, as RV(metal.kafka.declared#lookup:_raw) has
    them; empty if nothing was written.
  type: list
  elements: str
  returned: always
unused: {description: 'Secrets in the store that no option lists, such as "password bob".',
  type: list, elements: str, returned: always}
exposed:
  description: >-
    Secrets created before the release that fixed the last exposure of secrets, such as
    "password bob". Rotate them.
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
