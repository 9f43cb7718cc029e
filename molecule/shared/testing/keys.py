"""Private keys and certificates of every kind on the machines of a platform."""

import re
from collections.abc import Iterator
from pathlib import Path

from testing import access
from testing.cluster import Cluster

CONFIGURATION = "/etc/kafka-metal"
OPERATOR = "operator"


class Keys:
    """Copies of keys in a folder of the test; a kind is service/file, such as kafka/broker."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        self._folder = folder
        self._found = dict(_found(cluster))

    @property
    def kinds(self) -> list[str]:
        """Return every kind found."""
        return [OPERATOR, *sorted(self._found)]

    def __call__(self, kind: str) -> Path:
        """Return a file with the key and the certificate of a kind."""
        if kind == OPERATOR:
            assert access.folder is not None
            return access.folder / "operator.pem"
        file = self._folder / f"{kind.replace('/', '-')}.pem"
        file.touch(mode=0o600)
        machine, path = self._found[kind]
        file.write_text(machine.file(path).content_string, encoding="utf-8")
        return file


def _found(cluster: Cluster) -> Iterator[tuple[str, tuple]]:
    """Yield each file with a private key as its kind, machine and path."""
    name = cluster.topology.cluster
    for machine in cluster.shells():
        paths = machine.check_output(
            f"grep --recursive --files-with-matches 'BEGIN.* PRIVATE KEY' {CONFIGURATION}/{name}-*"
        ).splitlines()
        for path in paths:
            folder, _, file = path.removeprefix(f"{CONFIGURATION}/{name}-").partition("/")
            service = re.sub(r"(-?node)?\d+$", "", folder)
            yield f"{service}/{file.removesuffix('.pem')}", (machine, path)
