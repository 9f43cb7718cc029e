# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
name: state
author: The kafka-metal authors (!UNKNOWN)
short_description: Directory on the control node that holds the state of a cluster
description:
  - By default C(.kafka-metal/<cluster>) beside the first source of the inventory, for every host
    and for an implicit localhost alike.
options:
  _terms:
    description:
      - The directory that the site wants instead; an empty text is none. A relative path starts
        beside the first source of the inventory.
    type: list
    elements: str
  cluster:
    description: Name of the cluster.
    type: str
    required: true
  store:
    description: >-
      Whether to give the file of the store of keys instead; at the place of an earlier version as
      long as M(metal.kafka.state) has not moved it.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Show where the state of the cluster is
  ansible.builtin.debug:
    msg: "{{ lookup('metal.kafka.state', cluster=cluster_name) }}"
"""

RETURN = r"""
_raw:
  description: An absolute path.
  type: list
  elements: str
"""

from typing import Any

from ansible.plugins.lookup import LookupBase

from ..plugin_utils._site import state_directory


class LookupModule(LookupBase):
    def run(
        self, terms: list[Any], variables: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Any]:
        self.set_options(var_options=variables, direct=kwargs)
        cluster = self.get_option("cluster")
        sources = (variables or {}).get("ansible_inventory_sources") or []
        said = str(terms[0]) if terms and terms[0] else ""
        place = state_directory.directory(cluster, sources, said)
        return [str(state_directory.store(place, cluster) if self.get_option("store") else place)]
