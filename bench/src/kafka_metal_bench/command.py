"""Other programs, with their last words in the error."""

from __future__ import annotations

import subprocess
from typing import List, Sequence

from .tools import log_tail


class CommandError(RuntimeError):
    """A program failed or took too long; names it, with the end of its log."""


def run(argv: Sequence[str], seconds: float = 120) -> str:
    """What ``argv`` prints; raises CommandError."""
    return finish(start(argv), seconds)


def start(argv: Sequence[str]) -> "subprocess.Popen[str]":
    """Start ``argv``; ``finish`` gives its output."""
    return subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
    )


def finish(process: "subprocess.Popen[str]", seconds: float) -> str:
    """The output of a started program; raises CommandError."""
    argv: List[str] = [str(word) for word in process.args]  # type: ignore[union-attr]
    shown = " ".join(argv)[:200]
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired as error:
        process.kill()
        process.communicate()
        raise CommandError(f"not done after {seconds:g} s: {shown}") from error
    if process.returncode:
        raise CommandError(f"exit code {process.returncode} of {shown}: {log_tail(output)}")
    return output
