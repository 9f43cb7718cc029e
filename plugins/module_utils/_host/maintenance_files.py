# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What monitoring knows of an operation on a cluster: small files that the node exporter reads.

One file says that an operation is under way and when it was last active. One file for each host of
the inventory says which instances are stopped by it, and until when their alerts are silent. These
moments lie minutes ahead and are renewed while the run lives: a killed run silences nothing for
longer. Moments are epoch seconds by the clock of the machine.

Runs on the hosts, with Python 3.9 or later and its standard library only.
"""

from __future__ import annotations

import contextlib
import glob
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

UNTIL = "kafka_metal_maintenance_until_time_seconds"
ACTIVE = "kafka_metal_operation_active_time_seconds"
# No cluster and no host has this character in its name.
BETWEEN = "@"

_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_SAMPLE = re.compile(r"^(\w+)\{(.*)\} ([0-9.]+)$")
_ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n"}


def operation_file(directory: str, cluster: str) -> str:
    """The file that says which operation is under way."""
    return os.path.join(directory, f"{cluster}{BETWEEN}operation.prom")


def silence_file(directory: str, cluster: str, host: str) -> str:
    """The file that says what of a host is stopped by the operation."""
    return os.path.join(directory, f"{cluster}{BETWEEN}{host}-maintenance.prom")


def begin(directory: str, cluster: str, operation: str, by: str, now: float) -> None:
    """An operation is under way. Nothing is silent yet."""
    labels = {"of_cluster": cluster, "operation": operation, "by": by}
    _write(operation_file(directory, cluster), ACTIVE, [(labels, now)])


def silence(
    directory: str,
    cluster: str,
    host: str,
    instances: Iterable[str],
    machines: Iterable[str],
    until: float,
) -> None:
    """Alerts of these instances and machines are silent until a moment."""
    stopped = [{"of_instance": name} for name in instances]
    stopped += [{"of_host": name} for name in machines]
    samples = [({"of_cluster": cluster, **each}, until) for each in stopped]
    _write(silence_file(directory, cluster, host), UNTIL, samples)


def renew(directory: str, cluster: str, host: str, now: float, seconds: float) -> None:
    """The operation goes on, and with it the silence of what it has stopped, if there is any."""
    for path, moment in (
        (operation_file(directory, cluster), now),
        (silence_file(directory, cluster, host), now + seconds),
    ):
        found = samples_of(path)
        if found:
            _write(path, found[0][0], [(labels, moment) for _, labels, _ in found])


def clear(directory: str, cluster: str, host: str) -> None:
    """Nothing of the host is stopped by the operation any more."""
    _remove(silence_file(directory, cluster, host))


def end(directory: str, cluster: str) -> None:
    """No operation is under way: whatever an earlier run left behind is removed too."""
    _remove(operation_file(directory, cluster))
    # As versions before this one wrote it.
    _remove(os.path.join(directory, f"{cluster}-maintenance.prom"))
    for path in _silence_files(directory, cluster):
        _remove(path)


def read(directory: str, cluster: str) -> dict[str, Any]:
    """What the files say: ``active`` (0 without an operation), and ``silent``.

    ``silent``: moments by the name of an instance or machine.
    """
    running = samples_of(operation_file(directory, cluster)) if directory else []
    silent: dict[str, float] = {}
    for path in _silence_files(directory, cluster) if directory else []:
        for _, labels, until in samples_of(path):
            name = labels.get("of_instance") or labels.get("of_host")
            if name:
                silent[name] = max(until, silent.get(name, 0.0))
    return {"active": running[0][2] if running else 0.0, "silent": silent}


def samples_of(path: str) -> list[tuple[str, dict[str, str], float]]:
    """Name, labels and value of each sample of a file; none without such a file."""
    try:
        with open(path, encoding="utf-8") as stream:
            lines = stream.read().splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    matches = filter(None, map(_SAMPLE.match, lines))
    return [(found[1], _labels(found[2]), float(found[3])) for found in matches]


def _labels(text: str) -> dict[str, str]:
    """Labels out of their text."""
    back = {escaped: plain for plain, escaped in _ESCAPED.items()}
    return {
        name: re.sub(r"\\.", lambda found: back.get(found[0], found[0]), value)
        for name, value in _LABEL.findall(text)
    }


def _write(path: str, name: str, samples: Iterable[tuple[Mapping[str, str], float]]) -> None:
    """Put a file in place in one step: the exporter never reads half of it."""
    lines = [f"# TYPE {name} gauge"]
    for labels, value in samples:
        written = ",".join(f'{key}="{_escape(text)}"' for key, text in labels.items())
        lines.append(f"{name}{{{written}}} {value:.0f}")
    directory = os.path.dirname(path)
    os.makedirs(directory, mode=0o755, exist_ok=True)
    # Exporters run as users of their own. Nothing in here is a secret.
    os.chmod(directory, os.stat(directory).st_mode | 0o055)
    with open(f"{path}.new", "w", encoding="utf-8") as stream:
        stream.write("\n".join([*lines, ""]))
    os.chmod(f"{path}.new", 0o644)
    os.replace(f"{path}.new", path)


def _escape(text: str) -> str:
    """A label's value as Prometheus writes it."""
    return "".join(_ESCAPED.get(character, character) for character in text)


def _silence_files(directory: str, cluster: str) -> list[str]:
    """Files of all hosts of a cluster; another one's whose name begins alike is not among them."""
    pattern = silence_file(glob.escape(directory), glob.escape(cluster), "*")
    return sorted(glob.glob(pattern))


def _remove(path: str) -> None:
    """No such file."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
