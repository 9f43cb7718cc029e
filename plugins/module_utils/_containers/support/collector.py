# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What one machine says of a cluster's containers and of itself, as texts by name."""

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

PATIENCE_S = 20
COMMANDS: Mapping[str, Sequence[str]] = {
    "dmesg": ("dmesg", "--ctime"),
    "df": ("df", "--human-readable", "--print-type"),
    "disks": ("lsblk", "--output", "NAME,SIZE,TYPE,FSTYPE,MOUNTPOINTS,SCHED,ROTA"),
    "sockets": ("ss", "--listening", "--tcp", "--numeric"),
    "processes": ("ps", "-eo", "pid,ppid,user,stat,etime,rss,comm", "--sort=-rss"),
    "limits": ("sysctl", "--all", "--pattern", "^(vm|fs|net[.](core|ipv4))[.]"),
}
FILES = ("mounts", "meminfo", "loadavg", "stat", "vmstat", "diskstats", "pressure/io", "version")
# The last so many lines of what a machine says.
LINES = 2000
# The last bytes of each log: a log has 20 MB unless the site keeps more.
LOG_BYTES = 32 * 1024**2


def collect(
    label: str, config_root: Path, log_root: Path, prefix: str, lines: int, socket: str
) -> dict[str, str]:
    """Texts by name: containers with this label, their files and logs, and the machine.

    What cannot be had is a text that says why: a machine in trouble is the reason to ask.
    """
    found = dict(containers(label, lines, socket))
    found |= {f"logs/{name}.file.log": text for name, text in logs(log_root, prefix, lines)}
    found |= {f"config/{name}": text for name, text in files(config_root, prefix)}
    found |= {f"machine/{name}.txt": said(words) for name, words in COMMANDS.items()}
    return found | {f"machine/proc/{name}.txt": shown(Path("/proc") / name) for name in FILES}


def containers(label: str, lines: int, socket: str) -> Iterator[tuple[str, str]]:
    """The engine, each container as it sees it, and the last lines of its log."""
    try:
        yield "engine.json", pretty(engine_api.get(socket, "/info", PATIENCE_S))
        answer = engine_api.get(socket, engine_api.listing(label), PATIENCE_S)
        for each in json.loads(answer or b"[]"):
            name = str(each["Names"][0]).lstrip("/")
            state = engine_api.get(socket, f"/containers/{quote(name)}/json", PATIENCE_S)
            yield f"containers/{name}.json", pretty(state)
            words = container_state.log(name, lines, path=socket, timeout=PATIENCE_S)
            yield f"logs/{name}.log", "\n".join(words)
    except (engine_api.EngineError, ValueError) as error:
        yield "engine-blocker.txt", str(error)


def files(root: Path, prefix: str) -> Iterator[tuple[str, str]]:
    """Files of the containers whose names begin with ``prefix``; of secret ones the name alone.

    A cluster whose name begins with ours and a dash has such names too: the marker tells.
    """
    cluster = prefix.removesuffix("-")
    for path in sorted(root.glob(f"{prefix}*/**/*")):
        found = data_ownership.owners(str(root / path.relative_to(root).parts[0]))
        if path.is_file() and (not found or cluster in found):
            secret = not path.stat().st_mode & 0o044
            name = str(path.relative_to(root))
            yield name, "left out: for its owner alone" if secret else shown(path)


def logs(root: Path, prefix: str, lines: int) -> Iterator[tuple[str, str]]:
    """The last lines of the log that each service keeps itself, by name of its container.

    They are there without the engine, and have lines that it did not read in time.
    """
    for folder in sorted(root.glob(f"{prefix}*")):
        found = [folder / name for name in ("log.1", "log")]
        parts = [_logged(path) for path in found if os.path.lexists(path)]
        yield folder.name, "\n".join("".join(parts).splitlines()[-lines:])


def _logged(path: Path) -> str:
    # The service's own user may put anything there, and a bundle leaves the machine.
    try:
        return untrusted_files.tail(str(path), LOG_BYTES).decode(errors="replace")
    except OSError as error:
        return f"{error}\n"


def said(words: Sequence[str]) -> str:
    """The last lines of what a command says."""
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, errors="replace", timeout=PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return "\n".join((done.stdout + done.stderr).splitlines()[-LINES:])


def fetched(url: str, password: str = "") -> str:
    """Metrics at an address; with the operator's ``password`` unless that is empty."""
    asked = urllib.request.Request(url)
    if password:
        # Not handed on to where the answer redirects.
        asked.add_unredirected_header("Authorization", f"Basic {web_login.basic(password)}")
    try:
        with urllib.request.urlopen(asked, timeout=PATIENCE_S) as answer:
            return str(answer.read().decode(errors="replace"))
    except (OSError, ValueError) as error:
        return str(error)


def shown(path: Path) -> str:
    """Text of a file."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        return str(error)


def pretty(answer: bytes | None) -> str:
    """JSON as people read it."""
    return json.dumps(json.loads(answer or b"{}"), indent=2, sort_keys=True)
