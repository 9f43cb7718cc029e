# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Variables of the inventory's hosts over the defaults of the collection's roles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

from .inventory import UnreadableVariable

COLLECTION = Path(__file__).resolve().parents[3]


class Variables(Mapping[str, Any]):
    """Variables of one host over the defaults of roles; templates are evaluated on access."""

    def __init__(self, values: Mapping[str, Any], loader: DataLoader) -> None:
        self._values = values
        self._templar = Templar(loader=loader, variables=values)
        self._read: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._read:
            try:
                self._read[name] = self._templar.template(self._values[name])
            except AnsibleError as error:
                raise UnreadableVariable(str(error).splitlines()[0]) from error
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


@cache
def defaults() -> dict[str, Any]:
    """Defaults of all roles, which have distinct names with their role's prefix."""
    loader, found = DataLoader(), dict[str, Any]()
    for path in sorted(COLLECTION.glob("roles/*/defaults/main.yml")):
        found.update(loader.load_from_file(str(path), trusted_as_template=True) or {})
    return found


def hosts(
    variables: Mapping[str, Any], loader: DataLoader, names: Iterable[str] | None = None
) -> dict[str, Variables]:
    """Hosts of the inventory, or those in ``names``, from the variables of a lookup."""
    of_roles, all_hosts = defaults(), variables["hostvars"]
    return {
        host: Variables({**of_roles, **all_hosts.raw_get(host), "hostvars": all_hosts}, loader)
        for host in (all_hosts if names is None else names)
    }
