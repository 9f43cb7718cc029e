# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Maintenance markers of an operation on a cluster: text files for the node exporter.

One file has the running operation and the time of its last activity. One file per inventory host
has the instances that the operation has stopped, and the time until which their alerts are
silenced. One file without a host silences all alerts while the whole cluster starts. These times
are a few minutes ahead and renewed while the run lasts, so that the silence of a killed run
expires. Times are epoch seconds by the clock of the machine.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import contextlib
import glob
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from .._problems.operation_rules import ACTIVE, EVERYTHING, UNTIL

# Not allowed in names of clusters and hosts.
SEPARATOR = "@"

_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_SAMPLE = re.compile(r"^(\w+)\{(.*)\} ([0-9.]+)$")
_ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n"}


def operation_file(directory: str, cluster: str) -> str:
    """Return the path of the file with the running operation."""
    return os.path.join(directory, f"{cluster}{SEPARATOR}operation.prom")


def silence_file(directory: str, cluster: str, host: str) -> str:
    """Return the path of the file with the stopped instances of a host."""
    return os.path.join(directory, f"{cluster}{SEPARATOR}{host}-maintenance.prom")


def begin(directory: str, cluster: str, operation: str, by: str, now: float) -> None:
    """Mark an operation as running; silence no alerts yet."""
    labels = {"of_cluster": cluster, "operation": operation, "by": by}
    _write(operation_file(directory, cluster), ACTIVE, [(labels, now)])


def silence(
    directory: str,
    cluster: str,
    host: str,
    instances: Iterable[str],
    machines: Iterable[str],
    until: float,
    everything: bool = False,
) -> None:
    """Silence the alerts of instances and machines until a time; ``everything``: all alerts."""
    stopped = [{"of_instance": name} for name in instances]
    stopped += [{"of_host": name} for name in machines]
    stopped += [{"of_all": "true"}] if everything else []
    samples = [({"of_cluster": cluster, **each}, until) for each in stopped]
    _write(silence_file(directory, cluster, host), UNTIL, samples)


def renew(directory: str, cluster: str, host: str, now: float, seconds: float) -> None:
    """Renew the operation's activity, and the silence of a host if there is one."""
    for path, moment in (
        (operation_file(directory, cluster), now),
        (silence_file(directory, cluster, host), now + seconds),
    ):
        found = read_samples(path)
        if found:
            _write(path, found[0][0], [(labels, moment) for _, labels, _ in found])


def clear(directory: str, cluster: str, host: str) -> None:
    """End the silence of a host."""
    remove(silence_file(directory, cluster, host))


def end(directory: str, cluster: str) -> None:
    """Remove all markers of a cluster, including those of earlier runs."""
    remove(operation_file(directory, cluster))
    # File of versions before 0.2.
    remove(os.path.join(directory, f"{cluster}-maintenance.prom"))
    for path in _silence_files(directory, cluster):
        remove(path)


def read(directory: str, cluster: str) -> dict[str, Any]:
    """Return the last activity as ``active`` (0 without an operation), and ``silenced_until``.

    ``silenced_until``: end of the silence by name of an instance or machine, or "all services".
    """
    running = read_samples(operation_file(directory, cluster)) if directory else []
    silenced_until: dict[str, float] = {}
    for path in _silence_files(directory, cluster) if directory else []:
        for _, labels, until in read_samples(path):
            name = labels.get("of_instance") or labels.get("of_host")
            name = name or (EVERYTHING if labels.get("of_all") else "")
            if name:
                silenced_until[name] = max(until, silenced_until.get(name, 0.0))
    return {"active": running[0][2] if running else 0.0, "silenced_until": silenced_until}


def read_samples(path: str) -> list[tuple[str, dict[str, str], float]]:
    """Return name, labels and value of each sample of a file; none without such a file."""
    try:
        with open(path, encoding="utf-8") as stream:
            lines = stream.read().splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    matches = filter(None, map(_SAMPLE.match, lines))
    return [(found[1], _labels(found[2]), float(found[3])) for found in matches]


def _labels(text: str) -> dict[str, str]:
    """Parse the labels of a sample."""
    back = {escaped: plain for plain, escaped in _ESCAPED.items()}
    return {
        name: re.sub(r"\\.", lambda found: back.get(found[0], found[0]), value)
        for name, value in _LABEL.findall(text)
    }


def _write(path: str, name: str, samples: Iterable[tuple[Mapping[str, str], float]]) -> None:
    """Replace a file with samples."""
    lines = [f"# TYPE {name} gauge"]
    for labels, value in samples:
        written = ",".join(f'{key}="{_escape(text)}"' for key, text in labels.items())
        lines.append(f"{name}{{{written}}} {value:.0f}")
    write_text(path, "\n".join([*lines, ""]))


def write_text(path: str, text: str) -> None:
    """Replace a file atomically: the exporter never reads a partial one."""
    directory = os.path.dirname(path)
    os.makedirs(directory, mode=0o755, exist_ok=True)
    # The exporter runs as another user. The files have no secrets.
    os.chmod(directory, os.stat(directory).st_mode | 0o055)
    with open(f"{path}.new", "w", encoding="utf-8") as stream:
        stream.write(text)
    os.chmod(f"{path}.new", 0o644)
    os.replace(f"{path}.new", path)


def _escape(text: str) -> str:
    """Escape a label's value for Prometheus."""
    return "".join(_ESCAPED.get(character, character) for character in text)


def _silence_files(directory: str, cluster: str) -> list[str]:
    """Return the files of all hosts of a cluster; the separator excludes longer cluster names."""
    pattern = silence_file(glob.escape(directory), glob.escape(cluster), "*")
    return sorted(glob.glob(pattern))


def remove(path: str) -> None:
    """Remove a file if it exists."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
