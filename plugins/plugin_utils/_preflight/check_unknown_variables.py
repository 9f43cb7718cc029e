# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Variables that nobody reads: most likely a slip of the pen."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import yaml

from ...module_utils._common.suggestions import did_you_mean
from .._declarations.problem import Problem
from .._site.site_model import Site
from .._site.site_variables import SITE_VARIABLES

# Variables of earlier releases, and what a site sets instead.
RENAMED_FILE = Path(__file__).resolve().parents[3] / "meta/renamed_variables.yml"
# How alike a name outside every role's prefix must be to one of ours to be taken for a slip of it.
_ALIKE = 0.9


@cache
def renamed() -> dict[str, str]:
    """New name by old name."""
    found: dict[str, str] = yaml.safe_load(RENAMED_FILE.read_text(encoding="utf-8"))
    return found


def unknown_variables(site: Site) -> Iterator[Problem]:
    """Variables with a role's prefix that the role does not know, and near misses of ours."""
    options = (role.options for role in site.roles.values())
    known = set(SITE_VARIABLES).union(*options)
    seen: set[str] = set()
    for host, variables in site.hosts.items():
        allowed = {str(n) for n in site.value(host, "preflight_known_variables", [])}
        for name in variables:
            if name in known or name in seen or name in allowed:
                continue
            seen.add(name)
            if name in renamed():
                found = "a variable of an earlier release"
                yield Problem(host, name, found, f"{renamed()[name]} in its place")
                continue
            role = _role_of(name, site)
            if role is not None:
                own = site.roles[role].options
                meant = _meant(name, role, own)
                yield Problem(
                    host,
                    name,
                    f"a variable that role {role} does not know",
                    f"{meant} (did you mean that?)" if meant else _options(role),
                )
            elif meant := _near_miss(name, known):
                yield Problem(
                    host,
                    name,
                    f"a variable that looks like {meant} and is not",
                    f"{meant}, or {name} listed in preflight_known_variables",
                )


def _role_of(name: str, site: Site) -> str | None:
    """The role with the longest prefix of ``name``."""
    owners = [role for role in site.roles if name.startswith(f"{role}_")]
    return max(owners, key=len, default=None)


def _meant(name: str, role: str, options: Iterable[str]) -> str | None:
    """The option that was likely meant, by what follows the prefix that all share."""
    rest = {option.removeprefix(f"{role}_"): option for option in options}
    near = did_you_mean(name.removeprefix(f"{role}_"), rest)
    return rest[near] if near else None


def _options(role: str) -> str:
    return (
        f"the options in roles/{role}/meta/argument_specs.yml, "
        "or a name listed in preflight_known_variables"
    )


def _near_miss(name: str, known: set[str]) -> str | None:
    if name.startswith(("_", "ansible_")):
        return None
    near = difflib.get_close_matches(name, known, n=1, cutoff=_ALIKE)
    return near[0] if near else None
