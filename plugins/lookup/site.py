# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
name: site
author: The kafka-metal authors (!UNKNOWN)
short_description: Facts of the site that services need of each other
description:
  - Returns values of other hosts for role defaults, such as the bootstrap servers. A variable of
    the inventory takes precedence over such a default, as over any other.
  - Facts are computed once per run, from variables of the inventory and the defaults of the
    collection's roles, never from facts of machines. Facts with secrets are computed for each task.
options:
  _terms:
    description: >-
      Names of facts, such as V(kafka.bootstrap). The error for an unknown name lists all names.
    type: list
    elements: str
    required: true
  phase:
    description: >-
      Phase of the TLS migration that a run is about to enter. By default, the phase that
      C(security_migration) declares.
    type: str
    vars:
      - name: security_phase
"""

EXAMPLES = r"""
- name: Print the bootstrap servers
  ansible.builtin.debug:
    msg: "{{ lookup('metal.kafka.site', 'kafka.bootstrap') | join(',') }}"
"""

RETURN = r"""
_raw:
  description: One element for each term.
  type: list
  elements: raw
"""

from typing import Any

from ansible.errors import AnsibleError
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.loader import lookup_loader
from ansible.plugins.lookup import LookupBase

from ..plugin_utils._security.security_modes import SecurityError
from ..plugin_utils._site.inventory import UnreadableVariable, UnusableVariable
from ..plugin_utils._site.reader import Reader, UnknownFact

# Placeholders of secrets that do not exist yet, in a dry run of a new site.
MISSING = {"quorum_stage": "own"}


class LookupModule(LookupBase):
    def run(
        self, terms: list[Any], variables: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Any]:
        self.set_options(var_options=variables, direct=kwargs)
        phase = self.get_option("phase")
        loader = self._loader or DataLoader()
        if phase is not None:
            phase = self._templar.template(phase)

        def secret(term: str, absent: str | None = None) -> str:
            return self._secret(reader, variables, term, absent)

        reader = Reader(variables or {}, loader, phase, secret)
        try:
            return [reader.read(name) for name in terms]
        except KeyError as error:
            raise AnsibleError(f"metal.kafka.site: {error} is not set for this host") from error
        except (SecurityError, UnknownFact, UnreadableVariable, UnusableVariable) as error:
            raise AnsibleError(f"metal.kafka.site: {error}") from error

    def _secret(self, reader: Reader, variables: Any, term: str, absent: str | None) -> str:
        """One secret, from the lookup metal.kafka.secret."""
        lookup = lookup_loader.get("metal.kafka.secret", self._loader, self._templar)
        place = {"store": reader.read("state.store")}
        place["password_file"] = reader.read("state.password_file")
        missing = MISSING.get(term, "made by the first run")
        found = lookup.run([term], variables, missing=missing, absent=absent, **place)
        return str(found[0])
