# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Limits of connections that a site sets leave room for brokers, the operator and clients."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...module_utils._kafka.live_keys import UNLIMITED
from .._declarations.connection_limits import ADDRESS, LEAST
from .._declarations.inventory_values import whole_number
from .._declarations.problem import Problem
from .._site.kafka import KAFKA
from .._site.site_model import Site
from .broker_keys import declared

# Connections a second: each of those opens several at once when it starts.
LEAST_RATE = 10
# Open files of which connections may take half.
LEAST_FILES = 2 * LEAST

_FILES = str(KAFKA.open_files)
# Keys, of a broker or of one of its listeners, with the least number.
_KEYS = {
    re.compile(r"(listener\.name\..+\.)?max\.connections"): LEAST,
    re.compile(re.escape(ADDRESS)): 1,
    re.compile(r"(listener\.name\..+\.)?max\.connection\.creation\.rate"): LEAST_RATE,
}


def limits_of_connections(site: Site) -> Iterator[Problem]:
    """No limit of connections is so low that it locks out brokers, the operator or all clients."""
    seen = set()
    for host in site.members(KAFKA.group):
        for problem in _problems(host, site):
            if (problem.where, problem.found) not in seen:
                seen.add((problem.where, problem.found))
                yield problem


def _problems(host: str, site: Site) -> Iterator[Problem]:
    files = site.value(host, _FILES, 0)
    if (number := whole_number(files)) is None or (number and number < LEAST_FILES):
        yield Problem(
            host,
            _FILES,
            repr(files),
            f"a whole number from {LEAST_FILES}, or 0 for the engine's own limit",
        )
    for key, (where, value) in declared(site, host).items():
        least = next((each for form, each in _KEYS.items() if form.fullmatch(str(key))), None)
        if least is None or value is None:
            continue
        if (number := whole_number(value)) is None or not least <= number <= UNLIMITED:
            yield Problem(
                host,
                f"{where}[{key}]",
                repr(value),
                f"a whole number from {least} to {UNLIMITED}, or null for no limit",
            )
