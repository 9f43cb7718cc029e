# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
name: declared
author: The kafka-metal authors (!UNKNOWN)
short_description: A digest of all inputs of a run
description:
  - Changes with the variables of hosts, extra variables, tags of the run, and the files of roles,
    plugins, images and the pipeline. Two runs with the same digest have the same specs for every
    host.
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
  description: The digest, 16 hex digits.
  type: list
  elements: str
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
        inputs = {
            "variables": inputs_digest.declared_variables(variables["hostvars"]),
            "tags": [sorted(variables[f"ansible_{kind}_tags"]) for kind in ("run", "skip")],
        }
        return [inputs_digest.digest(inputs, repository_root(), [Path(term) for term in terms])]
