# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters for the screens of verbs: text for a terminal, and problems."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ansible.utils.color import ANSIBLE_COLOR

from ..plugin_utils._declarations.service_data import to_builtin
from ..plugin_utils._operations import screens_package as screens
from ..plugin_utils._operations.part_screen import part_screen as render

# Registered results of the roles with steps in words.
RESULTS = ("__kafka_content_result", "__kafka_content_reassignment")


def _screen(drawn: tuple[str, list[str]]) -> dict[str, Any]:
    return {"text": drawn[0], "problems": drawn[1]}


def _paint() -> screens.Paint:
    """Colours if Ansible itself uses them."""
    return screens.Paint(ANSIBLE_COLOR)


def status_screen(state: Mapping[str, Any], as_json: bool = False) -> dict[str, Any]:
    """C(text) and C(problems) of a platform; C(state) is from the filter C(platform_state).

    ``as_json``: the text is the state as JSON, for programs.
    """
    text, problems = screens.status.render(screens.visible_texts(state), _paint())
    if as_json:
        text = json.dumps(to_builtin(state), indent=2, sort_keys=True)
    return {"text": text, "problems": problems}


def final_report(
    state: Mapping[str, Any], demo: Mapping[str, Any] | None = None, unchanged: bool = False
) -> dict[str, Any]:
    """The same at the end of a run; C(demo) has the counts of the demonstration."""
    whole = {**state, "demo": demo} if demo else state
    return _screen(screens.report.render(screens.visible_texts(whole), _paint(), unchanged))


def groups_screen(found: Mapping[str, Any], without_lag: str = "") -> str:
    """Text of consumer groups; C(found) has C(groups), C(steps) and C(dry).

    Groups that match ``without_lag`` are only counted: their lag means nothing.
    """
    every = found.get("groups") or {}
    left_out = [name for name in every if without_lag and re.search(without_lag, name)]
    listed = {name: group for name, group in every.items() if name not in left_out}
    shown = {**found, "groups": listed, "not_listed": len(left_out)}
    return screens.groups.render(screens.visible_texts(shown), _paint())


def part_screen(
    hostvars: Mapping[str, Any],
    machines: Sequence[str],
    declared: Mapping[str, str],
    recorded: Sequence[str],
    dry: bool = False,
) -> str:
    """Text of a verb that applied C(recorded) parts; C(declared) has the digests of all parts."""
    changes = [step for host in hostvars for step in _steps(hostvars[host])]
    baselines = [hostvars[name]["part_baseline"]["declared"] for name in machines]
    return render(changes, baselines, declared, recorded, dry)


def _steps(host: Mapping[str, Any]) -> list[str]:
    """Changes of content and of drivers, in results of the roles."""
    results = [host.get(name) or {} for name in RESULTS]
    gone = (host.get("pipeline_undeclared") or {}).get("gone") or []
    return [
        *(step for each in results for step in each.get("steps") or ()),
        *(f"pipeline {each['name']}: its driver is removed" for each in gone),
    ]


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {
            "status_screen": status_screen,
            "final_report": final_report,
            "groups_screen": groups_screen,
            "part_screen": part_screen,
        }
