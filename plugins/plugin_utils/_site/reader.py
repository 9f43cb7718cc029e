# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Reader of facts for one task: facts of the site, computed once per run, or facts of the task."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ansible import constants
from ansible.parsing.dataloader import DataLoader

from .._security.security_modes import SecurityError
from .facts import HOST_FACTS, NAMES, RUN_FACTS, SITE_FACTS, TASK_FACTS
from .host_secrets import Host
from .inventory import Inventory, UnusableVariable
from .run_file import CycleError, RunFile
from .variables import Variables, defaults, hosts


class UnknownFact(Exception):
    """No fact has this name."""


class Reader:
    """Facts by name, for the host of the task.

    ``variables`` are those that Ansible passes to a lookup, ``phase`` is a migration phase that the
    run is about to enter. ``secret`` returns a secret by its term; its ``absent`` is a default.
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
        about = "the site" if phase is None else f"the site in phase {phase or 'secured'}"
        self._run = RunFile(Path(constants.DEFAULT_LOCAL_TMP), about)
        self._own = Variables(variables, loader)

    def read(self, name: str) -> Any:
        """A fact; raises UnknownFact, UnusableVariable, CycleError."""
        if name in TASK_FACTS:
            stored = partial(self._secret, absent="")
            return TASK_FACTS[name](Host(self.read, self._secret, stored, self._variable, self._of))
        if name not in RUN_FACTS:
            raise UnknownFact(f"found {name}; allowed: {', '.join(NAMES)}")
        found = self._run.value(name, RUN_FACTS, self._begin)
        if name in HOST_FACTS:
            host = self._variables["inventory_hostname"]
            if host not in found:
                raise UnknownFact(f"{name} needs a host of the inventory; found {host}")
            found = found[host]
        if "failed" in found:
            raise UnusableVariable(found["failed"])
        return found["value"]

    def _variable(self, name: str, default: Any) -> Any:
        """A variable of the task, ``default``, or a role's default."""
        if name in self._own:
            return self._own[name]
        if default is not None:
            return default
        return Variables({**defaults(), **self._variables}, self._loader)[name]

    def _of(self, host: str, name: str) -> Any:
        """A variable of a host, or a role's default; raises UnusableVariable."""
        found = hosts(self._variables, self._loader, [host])
        return Inventory(found, self._variables["groups"]).get(host, name)

    def _begin(self) -> Callable[[str], Any]:
        """Read the inventory once, and return the function that computes facts from it."""
        every = hosts(self._variables, self._loader)
        inventory = Inventory(every, self._variables["groups"], self._phase)

        def compute(name: str) -> Any:
            if name in SITE_FACTS:
                return attempt(partial(SITE_FACTS[name], inventory))
            return {host: attempt(partial(HOST_FACTS[name], inventory, host)) for host in every}

        return compute


def attempt(fact: Callable[[], Any]) -> dict[str, Any]:
    """The value of a fact, or its error, which only matters if the run reads the fact."""
    try:
        value = fact()
        # Other tasks read it as JSON, which has no dates, for example.
        json.dumps(value)
        return {"value": value}
    except (CycleError, SecurityError, UnusableVariable) as error:
        return {"failed": str(error)}
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:
        # Preflight names variables of the wrong type; here the variable is unknown.
        return {"failed": f"a variable has the wrong type, see make preflight: {error!r}"}
