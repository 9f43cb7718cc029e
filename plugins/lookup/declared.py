# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
name: declared
author: The kafka-metal authors (!UNKNOWN)
short_description: Digests of all inputs of a run
description:
  - Change with the variables of hosts, extra variables, tags of the run, and the files of roles,
    plugins, images and the pipeline. Two runs with the same digests have the same specs for every
    host.
  - One digest for each part of the site that a run can compare alone.
  - Templates in variables are not evaluated, so it is fast.
options:
  _terms:
    description: Additional files and directories in the digest, such as the store of keys.
    type: list
    elements: path
"""

EXAMPLES = r"""
- name: Read the declarations of this run
  ansible.builtin.set_fact:
    declared: "{{ lookup('metal.kafka.declared', '.kafka-metal/prod') }}"
"""

RETURN = r"""
_raw:
  description: >-
    One element, digests of 16 hex digits: C(content) of topics, users, ACLs and quotas,
    C(pipelines), C(monitoring) of alerts, receivers and names of pipelines, C(store) of the
    additional files, and C(rest).
  type: list
  elements: dict
"""

from pathlib import Path
from typing import Any

from ansible.plugins.lookup import LookupBase

from ..plugin_utils._images.images import repository_root
from ..plugin_utils._operations import inputs_digest


class LookupModule(LookupBase):
    def run(
        self, terms: list[Any], variables: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Any]:
        variables = variables or {}
        hosts = inputs_digest.declared_variables(variables["hostvars"])
        tags = [sorted(variables[f"ansible_{kind}_tags"]) for kind in ("run", "skip")]
        further = [Path(term) for term in terms]
        return [inputs_digest.digests(hosts, tags, repository_root(), further)]
