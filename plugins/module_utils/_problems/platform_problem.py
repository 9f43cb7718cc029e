# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""A problem of a platform, as all screens, metrics and exit codes report it; no I/O.

The status screen, the cluster's page and its metrics use this package. The image of the exporter
contains it as kafka_metal_problems.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import problem_kinds


@dataclass(frozen=True)
class Problem:
    """A problem: ``kind`` is a key of problem_kinds.KINDS or the name of an alert.

    ``where`` is an instance (kafka2), a machine, or a kind of service (kafka) for problems of all
    its instances. ``command`` helps, by default that of the kind. ``since`` is in seconds since
    1970, 0 if it is not known. ``alerts`` are names of firing alerts that report the same.
    ``severity`` is only set if it is not that of the kind. ``read``: found by reading a service,
    not only reported by an alert. ``affects`` are places of problems that it can explain, for a
    narrow kind. ``same`` are equal problems of several places that this one reports, itself first.
    """

    kind: str
    where: str
    text: str
    command: str = ""
    since: float = 0.0
    alerts: tuple[str, ...] = ()
    severity: str = ""
    read: bool = True
    affects: tuple[str, ...] = ()
    same: tuple[Problem, ...] = ()

    @property
    def each(self) -> tuple[Problem, ...]:
        """Return the problem of each place."""
        return self.same or (self,)

    @property
    def urgent(self) -> bool:
        """Whether the platform is not well: a mere ticket of an alert has a day of time."""
        return self.level == problem_kinds.PAGE or (
            self.level == problem_kinds.TICKET and self.read
        )

    @property
    def level(self) -> str:
        """Return the severity: page, ticket or note."""
        return self.severity or problem_kinds.of(self.kind).severity

    @property
    def help(self) -> str:
        """Return the command or the page that helps."""
        return self.command or problem_kinds.help_for(self.kind, self.where)

    def as_dict(self) -> dict[str, Any]:
        """Return the problem in plain types, with its severity."""
        return {
            "kind": self.kind,
            "where": self.where,
            "severity": self.level,
            "text": self.text,
            "command": self.help,
            "since": self.since,
            "alerts": list(self.alerts),
            "read": self.read,
            "urgent": self.urgent,
            "affects": list(self.affects),
            "places": [each.where for each in self.each],
            "same": [each.as_dict() for each in self.same],
        }


def from_dict(found: Mapping[str, Any]) -> Problem:
    """Return the problem in a result of ``as_dict``."""
    return Problem(
        kind=str(found["kind"]),
        where=str(found["where"]),
        text=str(found["text"]),
        command=str(found.get("command") or ""),
        since=float(found.get("since") or 0),
        alerts=tuple(str(name) for name in found.get("alerts") or ()),
        severity=str(found.get("severity") or ""),
        read=bool(found.get("read", True)),
        affects=tuple(str(place) for place in found.get("affects") or ()),
        same=tuple(from_dict(each) for each in found.get("same") or ()),
    )
