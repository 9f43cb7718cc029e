# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Texts for a support archive from one machine: the cluster's containers and the machine."""

from __future__ import annotations

import json
import os
import subprocess
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from ..._common import web_login
from ..._host import data_ownership, engine_api, untrusted_files
from .. import container_state

TIMEOUT_S = 20
COMMANDS: Mapping[str, Sequence[str]] = {
    "dmesg": ("dmesg", "--ctime"),
    "df": ("df", "--human-readable", "--print-type"),
    "disks": ("lsblk", "--output", "NAME,SIZE,TYPE,FSTYPE,MOUNTPOINTS,SCHED,ROTA"),
    "sockets": ("ss", "--listening", "--tcp", "--numeric"),
    "processes": ("ps", "-eo", "pid,ppid,user,stat,etime,rss,comm", "--sort=-rss"),
    "limits": ("sysctl", "--all", "--pattern", "^(vm|fs|net[.](core|ipv4))[.]"),
}
FILES = ("mounts", "meminfo", "loadavg", "stat", "vmstat", "diskstats", "pressure/io", "version")
# Last lines of a command's output.
LINES = 2000
# Last bytes of each log; by default a log has 20 MB.
LOG_BYTES = 32 * 1024**2


def collect(
    label: str, config_root: Path, log_root: Path, prefix: str, lines: int, socket: str
) -> dict[str, str]:
    """Return texts by name: containers with this label, their files and logs, and the machine.

    A text that cannot be read is replaced by the error: support archives come from faulty machines.
    """
    found = dict(collect_containers(label, lines, socket))
    found |= {f"logs/{name}.file.log": text for name, text in collect_logs(log_root, prefix, lines)}
    found |= {f"config/{name}": text for name, text in collect_files(config_root, prefix)}
    found |= {f"machine/{name}.txt": command_output(command) for name, command in COMMANDS.items()}
    return found | {f"machine/proc/{name}.txt": file_text(Path("/proc") / name) for name in FILES}


def collect_containers(label: str, lines: int, socket: str) -> Iterator[tuple[str, str]]:
    """The engine, the inspection of each container, and the tail of its log."""
    try:
        yield "engine.json", format_json(engine_api.get(socket, "/info", TIMEOUT_S))
        answer = engine_api.get(socket, engine_api.list_request(label), TIMEOUT_S)
        for each in json.loads(answer or b"[]"):
            name = str(each["Names"][0]).lstrip("/")
            state = engine_api.get(socket, f"/containers/{quote(name)}/json", TIMEOUT_S)
            yield f"containers/{name}.json", format_json(state)
            tail = container_state.read_log_tail(name, lines, path=socket, timeout=TIMEOUT_S)
            yield f"logs/{name}.log", "\n".join(tail)
    except (engine_api.EngineError, ValueError) as error:
        yield "engine-blocker.txt", str(error)


def collect_files(root: Path, prefix: str) -> Iterator[tuple[str, str]]:
    """Files of containers whose names begin with ``prefix``; only the names of secret files.

    Another cluster may have the same prefix; the ownership marker tells them apart.
    """
    cluster = prefix.removesuffix("-")
    for path in sorted(root.glob(f"{prefix}*/**/*")):
        found = data_ownership.read_owners(str(root / path.relative_to(root).parts[0]))
        if path.is_file() and (not found or cluster in found):
            secret = not path.stat().st_mode & 0o044
            name = str(path.relative_to(root))
            yield name, "left out: only its owner may read it" if secret else file_text(path)


def collect_logs(root: Path, prefix: str, lines: int) -> Iterator[tuple[str, str]]:
    """The tail of each service's own log file, by name of its container.

    These files need no engine, and include lines that the engine did not read in time.
    """
    for folder in sorted(root.glob(f"{prefix}*")):
        found = [folder / name for name in ("log.1", "log")]
        parts = [_log_text(path) for path in found if os.path.lexists(path)]
        yield folder.name, "\n".join("".join(parts).splitlines()[-lines:])


def _log_text(path: Path) -> str:
    # The service's user may plant links there, and the archive leaves the machine.
    try:
        return untrusted_files.read_tail(str(path), LOG_BYTES).decode(errors="replace")
    except OSError as error:
        return f"{error}\n"


def command_output(command: Sequence[str]) -> str:
    """Return the last lines of a command's output, or its error."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return "\n".join((done.stdout + done.stderr).splitlines()[-LINES:])


def fetch(url: str, password: str = "") -> str:
    """Return metrics from a URL, or the error; an empty ``password`` means no authentication."""
    request = urllib.request.Request(url)
    if password:
        # Never sent to the target of a redirect.
        request.add_unredirected_header(
            "Authorization", f"Basic {web_login.basic_credentials(password)}"
        )
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
            return str(response.read(LOG_BYTES).decode(errors="replace"))
    except (OSError, ValueError) as error:
        return str(error)


def file_text(path: Path) -> str:
    """Return the text of a file, or why it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        return str(error)


def format_json(answer: bytes | None) -> str:
    """Return indented JSON."""
    return json.dumps(json.loads(answer or b"{}"), indent=2, sort_keys=True)
