# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
name: preflight
author: The kafka-metal authors (!UNKNOWN)
short_description: Problems of an inventory, before a run changes anything
description:
  - Reads the variables of all hosts, with the defaults of the collection's roles, and the results
    of M(metal.kafka.machine_info) and M(metal.kafka.port_probe) that are registered on the machines
    as C(preflight_machine), C(preflight_listening) and C(preflight_reached).
  - Evaluates only the templates of variables that a check reads.
options:
  _terms:
    description:
      - V(questions) returns arguments of M(metal.kafka.machine_info).
      - V(probes) returns by machine the endpoints for M(metal.kafka.port_probe) to C(connect) to,
        and to C(listen) on.
      - V(problems) returns the problems.
      - V(report) returns the report for the operator, and the memory left for the page cache.
      - V(paths) returns the directories whose file systems are checked.
    type: list
    elements: str
    required: true
    choices: [questions, probes, problems, report, paths]
"""

EXAMPLES = r"""
- name: Check the declarations
  ansible.builtin.assert:
    that: query('metal.kafka.preflight', 'problems') | selectattr('fatal') | length == 0
"""

RETURN = r"""
_raw:
  description: >-
    Problems: each with C(host), C(where), C(found), C(allowed), C(fatal), C(check), C(accepted)
    and C(text); one that is not fatal is a note. Otherwise one element: C(paths), C(names) and
    C(applied); endpoints by machine; or C(fatal) and C(notes), which are lines, a C(summary),
    C(brief) without the notes, and the C(refusal). V(paths) gives paths.
  type: list
  elements: raw
"""

import os
from collections.abc import Mapping
from dataclasses import asdict
from itertools import chain
from typing import Any, cast

import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.lookup import LookupBase

from ..module_utils._host import operation_lock, operation_state
from ..plugin_utils._preflight.checks import (
    CHECKS,
    budget,
    check,
    wanted_applied_files,
    wanted_names,
    wanted_paths,
    wanted_probes,
)
from ..plugin_utils._preflight.problem_report import problem_line, report
from ..plugin_utils._site.facts_of_machines import Facts
from ..plugin_utils._site.site_model import Role
from ..plugin_utils._site.variables import COLLECTION
from ..plugin_utils._site.variables import hosts as every_host

# Variables in which the playbook registers results of modules, and the keys that checks read.
REGISTERED = {
    "preflight_listening": ("opened", "unbound"),
    "preflight_reached": ("connections",),
}
MACHINE = "preflight_machine"


def roles() -> dict[str, Any]:
    """Roles of the collection with the options that operators may set."""
    found = {}
    for path in sorted(COLLECTION.glob("roles/*/meta/argument_specs.yml")):
        name = path.parents[1].name
        entries = yaml.load(path.read_text(), Loader=yaml.CSafeLoader)["argument_specs"].values()
        options = {key: spec for e in entries for key, spec in (e.get("options") or {}).items()}
        found[name] = Role(name, options)
    return found


def registered_facts(values: Mapping[str, Any]) -> Facts | None:
    """Facts of a machine from registered results; None if the machine was not read."""
    machine = values.get(MACHINE)
    if not isinstance(machine, Mapping) or "facts" not in machine:
        return None
    found = dict(machine["facts"])
    if "control_node_time" in machine:
        found["control_node_time"] = machine["control_node_time"]
    for name, keys in REGISTERED.items():
        result = values.get(name)
        # A skipped task also registers a result, without these keys.
        if isinstance(result, Mapping):
            found.update({key: result[key] for key in keys if key in result})
    return cast(Facts, found)


def operation_messages(facts: Mapping[str, Any]) -> list[str]:
    """Messages about an operation that is in progress, or was interrupted."""
    seen = [each.get("operation") for each in facts.values()]
    return list(chain(*operation_state.messages(seen, operation_lock.lock_owner(os.getpid()))))


class LookupModule(LookupBase):
    def run(
        self, terms: list[Any], variables: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Any]:
        variables = variables or {}
        hostvars, groups = variables["hostvars"], variables["groups"]
        loader = self._loader or DataLoader()
        hosts = every_host(variables, loader)
        by_host = {host: registered_facts(hostvars.raw_get(host)) for host in hosts}
        facts = {host: found for host, found in by_host.items() if found is not None}
        if "paths" in terms:
            return wanted_paths(hosts, groups)
        if "questions" in terms:
            return [
                {
                    "paths": wanted_paths(hosts, groups),
                    "names": wanted_names(hosts, groups),
                    "applied": wanted_applied_files(hosts, groups),
                }
            ]
        if "probes" in terms:
            return [wanted_probes(hosts, groups, facts)]
        names = {host: set(hostvars.raw_get(host)) for host in hosts}
        found = check(hosts, groups, facts, roles(), names)
        if "report" in terms:
            inventory = str(variables.get("inventory_dir", ""))
            result = report(found, len(CHECKS), len(facts), inventory)
            result["notes"] += operation_messages(facts)
            return [result | {"budget": budget(hosts, groups, facts)}]
        return [{**asdict(problem), "text": problem_line(problem)} for problem in found]
