# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Reads facts of the site for one task: computed once in a run, or with secrets, for its host."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ansible import constants
from ansible.parsing.dataloader import DataLoader

from .catalogue import NAMES, OF_A_HOST, OF_A_TASK, OF_THE_SITE
from .files import Host
from .inventory import Inventory, UnusableVariable
from .run_file import RunFile
from .variables import Variables, defaults, hosts


class UnknownFact(Exception):
    """No fact has this name."""


class Reader:
    """Facts by name, for the host whose task reads.

    ``variables`` are what Ansible gives to a lookup, ``phase`` one that a run is about to enter,
    and ``secret`` reads a secret by its term, and takes what is given where there is none.
    """

    def __init__(
        self,
        variables: Mapping[str, Any],
        loader: DataLoader,
        phase: str | None,
        secret: Callable[..., str],
    ) -> None:
        self._variables, self._loader, self._phase = variables, loader, phase
        self._secret = secret
        self._run = RunFile(Path(constants.DEFAULT_LOCAL_TMP))
        self._own = Variables(variables, loader)

    def read(self, name: str) -> Any:
        """A fact; raises UnknownFact, UnusableVariable, CycleError."""
        if name in OF_A_TASK:
            known = partial(self._secret, absent="")
            return OF_A_TASK[name](Host(self.read, self._secret, known, self._variable))
        if name in OF_THE_SITE:
            return self._once(name, lambda site: OF_THE_SITE[name](site))
        if name not in OF_A_HOST:
            raise UnknownFact(f"{name} is not known; known: {', '.join(NAMES)}")
        host = self._variables["inventory_hostname"]
        found = self._once(name, partial(_of_hosts, name))[host]
        if "failed" in found:
            raise UnusableVariable(found["failed"])
        return found["value"]

    def _variable(self, name: str, default: Any) -> Any:
        """A variable of the task, the default that is given, or that of a role."""
        if name in self._own:
            return self._own[name]
        if default is not None:
            return default
        return Variables({**defaults(self._loader), **self._variables}, self._loader)[name]

    def _once(self, name: str, compute: Callable[[Inventory], Any]) -> Any:
        at = name if self._phase is None else f"{name} in phase {self._phase or 'closed'}"

        def computed() -> Any:
            every = hosts(self._variables, self._loader)
            return compute(Inventory(every, self._variables["groups"], self._phase))

        return self._run.once(at, computed)


def _of_hosts(name: str, inventory: Inventory) -> dict[str, dict[str, Any]]:
    """A fact of every host, or why it has none: not all have all variables."""
    found: dict[str, dict[str, Any]] = {}
    for host in inventory.hosts:
        try:
            found[host] = {"value": OF_A_HOST[name](inventory, host)}
        except UnusableVariable as error:
            found[host] = {"failed": str(error)}
    return found
