# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
name: secret
author: The kafka-metal authors (!UNKNOWN)
short_description: One secret out of the store of a cluster
description:
  - >-
    Reads the store that M(metal.kafka.credentials) keeps. For templates and arguments of tasks with
    C(no_log); the value is in no fact and in no output.
  - The store is decrypted once per process and generation.
options:
  _terms:
    description:
      - C(password:NAME), and C(previous_password:NAME), the one before it was rotated.
      - C(keypair:NAME) gives key, certificate and chain in one text, a keystore of type PEM.
      - C(key:NAME) and C(certificate:NAME) give its halves; the certificate with its chain.
      - C(truststore) gives all trusted roots, C(ca) the CA that issues with those above it.
      - >-
        C(quorum_truststore) gives what servers of the ensemble trust of each other, C(quorum_stage)
        whose certificates they show, as RV(metal.kafka.credentials#module:quorum).
    type: list
    elements: str
    required: true
  store:
    description: The encrypted file; by default that in the state directory of the cluster.
    type: str
    vars:
      - name: security_store
  password_file:
    description: As for M(metal.kafka.credentials).
    type: str
    default: ~/.config/kafka-metal/vault-password
    vars:
      - name: security_password_file
  missing:
    description: >-
      What is given in check mode when there is no store yet, or not this item: a dry run of a new
      site. Outside check mode a missing secret is an error where it is C(needed).
    type: str
  absent:
    description: >-
      What is given, also outside check mode, when a store has no such item: for what only reads a
      cluster that an older release made, whose store gets the item with the next
      M(metal.kafka.credentials).
    type: str
  needed:
    description: >-
      V(false) where services are only stopped or deleted: nothing is read, O(missing) is given, and
      a site that has lost its store or the store's password can still stop and delete.
    type: bool
    default: true
    vars:
      - name: credentials_needed
"""

EXAMPLES = r"""
- name: Broker has its keystore
  ansible.builtin.copy:
    content: "{{ lookup('metal.kafka.secret', 'keypair:kafka1', missing='to be issued') }}"
    dest: /etc/kafka/keystore.pem
    mode: "0400"
  no_log: true
"""

RETURN = r"""
_raw:
  description: One text for each term.
  type: list
  elements: str
"""

from typing import Any

from ansible.errors import AnsibleError
from ansible.plugins.loader import lookup_loader
from ansible.plugins.lookup import LookupBase

from ..plugin_utils._security.store_document import ContentError
from ..plugin_utils._security.store_items import Missing, TermError, parts_of, pick
from ..plugin_utils._security.vault_store import Store, document


class LookupModule(LookupBase):
    def run(
        self, terms: list[Any], variables: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Any]:
        self.set_options(var_options=variables, direct=kwargs)
        path = self.said("store") or self._usual_store(variables)
        store = Store(path, self.said("password_file"))
        placeholder = self.get_option("missing")
        dry = bool((variables or {}).get("ansible_check_mode"))
        instead = placeholder if dry else self.get_option("absent")
        try:
            for term in terms:
                parts_of(term)
            if not self.get_option("needed"):
                return [placeholder for _ in terms]
            held = document(store)
            return [find(held, term, instead) for term in terms]
        except Missing as error:
            raise AnsibleError(
                f"metal.kafka.secret: store {store.path}: {error}; metal.kafka.credentials makes it"
            ) from None
        except (TermError, ContentError) as error:
            raise AnsibleError(f"metal.kafka.secret: {error}") from None

    def _usual_store(self, variables: Any) -> str:
        site = lookup_loader.get("metal.kafka.site", self._loader, self._templar)
        return str(site.run(["state.store"], variables)[0])

    def said(self, option: str) -> Any:
        """An option; one that a variable says may be a template."""
        value = self.get_option(option)
        return self._templar.template(value) if self._templar else value


def find(held: dict[str, Any] | None, term: str, placeholder: str | None) -> Any:
    """The secret; the placeholder, if there is one, for what is not there."""
    try:
        if held is None:
            raise Missing("there is no store yet")
        return pick(held, term)
    except Missing:
        if placeholder is None:
            raise
        return placeholder
