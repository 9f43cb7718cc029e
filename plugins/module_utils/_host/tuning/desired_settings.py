# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Desired settings of a host, from the role's table and the site's overrides."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from .setting import AT_LEAST, EXACTLY, Spec, kernel_text

# Directories of /proc/sys: any key below them may be set.
SYSCTL = ("abi", "crypto", "debug", "dev", "fs", "kernel", "net", "user", "vm")
SITE_REASON = "Set by this site."

# Bytes. Bounds by memory are rounded: kernels report slightly different sizes.
ROUND = 2**20


class TuningError(ValueError):
    """An override has an unknown name; the text has what was found and what is allowed."""


def is_sysctl(name: str) -> bool:
    """Whether ``name`` is a kernel parameter."""
    return name.replace("/", ".").split(".")[0] in SYSCTL and len(name.split(".")) > 1


def merge(
    table: Mapping[str, Mapping[str, Any]], overrides: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the settings of ``table`` with the site's overrides; None omits a setting.

    Overrides are exact values. Raises TuningError for a name that is neither in the
    table nor a kernel parameter.
    """
    unknown = [name for name in overrides if name not in table and not is_sysctl(name)]
    if unknown:
        near = difflib.get_close_matches(unknown[0], table, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        others = ", ".join(name for name in table if not is_sysctl(name))
        raise TuningError(
            f"host_tuning: found {unknown[0]!r}{hint} Allowed: any kernel parameter, and {others}"
        )
    settings = []
    for name, entry in table.items():
        if name not in overrides:
            rule = entry.get("rule", EXACTLY)
            bound = entry.get("percent_of_memory", 0)
            reason = " ".join(entry["reason"].split())
            settings.append(_setting(name, entry["value"], rule, reason, bound))
        elif overrides[name] is not None:
            # Limits are only raised: containers may set a lower limit themselves.
            rule = AT_LEAST if name.startswith("limits.") else EXACTLY
            settings.append(_setting(name, overrides[name], rule, SITE_REASON, 0))
    for name in sorted(overrides.keys() - table.keys()):
        if overrides[name] is not None:
            settings.append(_setting(name, overrides[name], EXACTLY, SITE_REASON, 0))
    return settings


def _setting(name: str, value: Any, rule: str, reason: str, bound: int) -> dict[str, Any]:
    """Return one setting as the module's parameter."""
    return {
        "name": name,
        "value": kernel_text(value),
        "rule": rule,
        "reason": reason,
        "percent_of_memory": bound,
    }


def limit_to_memory(spec: Spec, memory: int) -> Spec:
    """Return a spec in bytes, limited to its percentage of the machine's memory."""
    if not spec.percent_of_memory or not memory:
        return spec
    most = memory * spec.percent_of_memory // 100 // ROUND * ROUND
    value = str(min(int(spec.value), most))
    return Spec(spec.name, value, spec.rule, spec.reason, spec.percent_of_memory)
