# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Variables that no role reads, most likely typos."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from ...module_utils._common.suggestions import did_you_mean
from .._declarations.problem import Problem
from .._site import renamed_variables
from .._site.site_model import Site
from .._site.site_variables import SITE_VARIABLES

# Similarity from which a name without a role's prefix counts as a typo of a known name.
_TYPO_SIMILARITY = 0.9


def unknown_variables(site: Site) -> Iterator[Problem]:
    """No variable has the prefix of a role without being its option, or looks like a typo."""
    options = (role.options for role in site.roles.values())
    known = set(SITE_VARIABLES).union(*options)
    seen: set[str] = set()
    for host, variables in site.hosts.items():
        allowed = {str(n) for n in site.value(host, "preflight_known_variables", [])}
        for name in variables:
            if name in known or name in seen or name in allowed:
                continue
            seen.add(name)
            if name in renamed_variables.renamed():
                replacement = renamed_variables.allowed(name)
                yield Problem(host, name, renamed_variables.FOUND, replacement)
                continue
            role = _role_of(name, site)
            if role is not None:
                own = site.roles[role].options
                meant = _likely_option(name, role, own)
                yield Problem(
                    host,
                    name,
                    f"a variable that is not an option of role {role}",
                    f"{meant} (did you mean that?)" if meant else _options(role),
                )
            elif meant := _near_miss(name, known):
                yield Problem(
                    host,
                    name,
                    f"an unknown variable that looks like {meant}",
                    f"{meant}, or {name} listed in preflight_known_variables",
                )


def _role_of(name: str, site: Site) -> str | None:
    """Return the role with the longest name that is a prefix of ``name``."""
    owners = [role for role in site.roles if name.startswith(f"{role}_")]
    return max(owners, key=len, default=None)


def _likely_option(name: str, role: str, options: Iterable[str]) -> str | None:
    """Return the option that was likely meant, compared without the role's prefix."""
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
    near = difflib.get_close_matches(name, known, n=1, cutoff=_TYPO_SIMILARITY)
    return near[0] if near else None
