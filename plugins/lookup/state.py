# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
name: state
author: The kafka-metal authors (!UNKNOWN)
short_description: State directory of a cluster on the control node
description:
  - By default C(.kafka-metal/<cluster>) in the directory of the inventory's first source, for all
    hosts and for an implicit localhost.
options:
  _terms:
    description:
      - The directory that the site declares instead; an empty text means the default. A relative
        path starts in the directory of the inventory's first source.
    type: list
    elements: str
  cluster:
    description: Name of the cluster.
    type: str
    required: true
  store:
    description: >-
      Whether to return the path of the store of keys instead. This is the path of an earlier
      version until M(metal.kafka.begin) has moved the store.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Print the state directory of the cluster
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
        declared = str(terms[0]) if terms and terms[0] else ""
        place = state_directory.directory(cluster, sources, declared)
        return [str(state_directory.store(place, cluster) if self.get_option("store") else place)]
