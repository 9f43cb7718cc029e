# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Options of rolling restarts, which a run reads only before the first restart."""

from __future__ import annotations

from collections.abc import Iterator

from .._declarations.inventory_values import whole_number
from .._declarations.problem import Problem
from .._site.site_model import Site

SILENCE = "roll_silence_seconds"
# A longer silence hides alerts after a killed run; a shorter one ends while a machine boots.
LEAST, MOST = 300, 600


def silence_seconds(site: Site) -> Iterator[Problem]:
    """The silence of alerts during a restart is 300 to 600 seconds."""
    for host, value in site.values(site.hosts, SILENCE):
        seconds = whole_number(value)
        if seconds is None or not LEAST <= seconds <= MOST:
            yield Problem(host, SILENCE, repr(value), f"{LEAST} to {MOST}")
            return
