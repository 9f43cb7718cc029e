# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Connection limits of brokers: enough for other brokers, the operator and clients."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...module_utils._kafka.live_keys import UNLIMITED
from .._declarations.connection_limits import ADDRESS, LEAST
from .._declarations.inventory_values import whole_number
from .._declarations.problem import Problem
from .._site.kafka import KAFKA
from .._site.site_model import Site
from .broker_keys import declared_keys

# Connections per second: brokers, the operator and clients open several at once when they start.
LEAST_RATE = 10
# Connections may use half of a broker's open files.
LEAST_FILES = 2 * LEAST

_FILES = str(KAFKA.open_files)
# Keys of a broker or one of its listeners, with the lowest allowed value.
_KEYS = {
    re.compile(r"(listener\.name\..+\.)?max\.connections"): LEAST,
    re.compile(re.escape(ADDRESS)): 1,
    re.compile(r"(listener\.name\..+\.)?max\.connection\.creation\.rate"): LEAST_RATE,
}


def connection_limits(site: Site) -> Iterator[Problem]:
    """Connection limits are high enough for brokers, the operator and clients."""
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
    for key, (where, value) in declared_keys(site, host).items():
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
