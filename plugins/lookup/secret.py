# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
name: secret
author: The kafka-metal authors (!UNKNOWN)
short_description: One secret from the store of a cluster
description:
  - >-
    Reads the store of M(metal.kafka.credentials). For templates and arguments of tasks with
    C(no_log); the value must not be in facts or output.
  - The store is decrypted once per process and generation.
options:
  _terms:
    description:
      - C(password:NAME), and C(previous_password:NAME), the password before the last rotation.
      - C(keypair:NAME) returns key, certificate and chain in one text, a keystore of type PEM.
      - C(key:NAME) and C(certificate:NAME) return its parts; the certificate includes its chain.
      - C(truststore) returns all trusted roots, C(ca) the issuing CA with its chain.
      - >-
        C(quorum_truststore) returns the CAs that servers of the ensemble trust on quorum ports,
        C(quorum_stage) the stage of their certificates, as
        RV(metal.kafka.credentials#module:quorum).
    type: list
    elements: str
    required: true
  store:
    description: The encrypted file; by default the one in the state directory of the cluster.
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
      Value in check mode if the store or the item does not exist yet, as in a dry run of a new
      site. Outside check mode a missing secret is an error if it is C(needed).
    type: str
  absent:
    description: >-
      Value if the store does not have the item, also outside check mode. For verbs that only read a
      cluster of an older release, whose store gets the item with the next
      M(metal.kafka.credentials).
    type: str
  needed:
    description: >-
      V(false) to read no secret and return O(missing). For verbs that only stop or delete services,
      also on a site that has lost its store or the store's password.
    type: bool
    default: true
    vars:
      - name: credentials_needed
"""

EXAMPLES = r"""
- name: Copy the broker's keystore
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
from ..plugin_utils._security.store_items import (
    MissingSecretError,
    TermError,
    find_secret,
    split_term,
)
from ..plugin_utils._security.vault_store import Store, read_document


class LookupModule(LookupBase):
    def run(
        self, terms: list[Any], variables: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Any]:
        self.set_options(var_options=variables, direct=kwargs)
        path = self.evaluated("store") or self._default_store(variables)
        store = Store(path, self.evaluated("password_file"))
        placeholder = self.get_option("missing")
        dry_run = bool((variables or {}).get("ansible_check_mode"))
        default = placeholder if dry_run else self.get_option("absent")
        try:
            for term in terms:
                split_term(term)
            if not self.get_option("needed"):
                return [placeholder for _ in terms]
            held = read_document(store)
            return [find(held, term, default) for term in terms]
        except MissingSecretError as error:
            raise AnsibleError(
                f"metal.kafka.secret: store {store.path}: {error}; required: a run of "
                "metal.kafka.credentials, which creates it"
            ) from None
        except (TermError, ContentError) as error:
            raise AnsibleError(f"metal.kafka.secret: {error}") from None

    def _default_store(self, variables: Any) -> str:
        site = lookup_loader.get("metal.kafka.site", self._loader, self._templar)
        return str(site.run(["state.store"], variables)[0])

    def evaluated(self, option: str) -> Any:
        """An option, with its template evaluated if it comes from a variable."""
        value = self.get_option(option)
        return self._templar.template(value) if self._templar else value


def find(held: dict[str, Any] | None, term: str, default: str | None) -> Any:
    """Return the secret, or ``default`` if it does not exist; raises Missing without default."""
    try:
        if held is None:
            raise MissingSecretError("the store does not exist yet")
        return find_secret(held, term)
    except MissingSecretError:
        if default is None:
            raise
        return default
