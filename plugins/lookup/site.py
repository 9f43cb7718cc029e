# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
name: site
author: The kafka-metal authors
short_description: What services of the inventory know of each other
description:
  - Gives role defaults what they need of other hosts, such as the ids of all brokers. A variable of
    the inventory wins over such a default, as over any other.
  - It is computed once in a run, from variables of the inventory and the defaults of the
    collection's roles, never from facts of machines.
options:
  _terms:
    description:
      - V(kafka.ids) gives the ids of all brokers.
      - V(kafka.names) gives the names or addresses that brokers advertise, each once.
    type: list
    elements: str
    required: true
    choices: [kafka.ids, kafka.names]
"""

EXAMPLES = r"""
- name: Ids of all brokers are shown
  ansible.builtin.debug:
    msg: "{{ lookup('metal.kafka.site', 'kafka.ids') }}"
"""

RETURN = r"""
_raw:
  description: One element for each term, a list.
  type: list
  elements: list
"""

from functools import partial
from pathlib import Path

from ansible import constants
from ansible.errors import AnsibleError
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.lookup import LookupBase
from ansible_collections.metal.kafka.plugins.plugin_utils._site.facts import (
    FACTS,
    Inventory,
    UnusableVariable,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._site.run_file import CycleError, RunFile
from ansible_collections.metal.kafka.plugins.plugin_utils._site.variables import hosts


class LookupModule(LookupBase):
    def run(self, terms, variables=None, **kwargs):
        self.set_options(var_options=variables, direct=kwargs)
        remembered = RunFile(Path(constants.DEFAULT_LOCAL_TMP))
        try:
            return [
                remembered.once(name, partial(self._computed, name, variables)) for name in terms
            ]
        except (CycleError, UnusableVariable) as error:
            raise AnsibleError(f"metal.kafka.site: {error}") from error

    def _computed(self, name, variables):
        if name not in FACTS:
            raise AnsibleError(f"metal.kafka.site: {name} is not known; known: {', '.join(FACTS)}")
        loader = self._loader or DataLoader()
        return FACTS[name](Inventory(hosts(variables, loader), variables["groups"]))
