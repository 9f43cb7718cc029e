"""Run commands, with their log tail in errors."""

from __future__ import annotations

import subprocess
from typing import List, Sequence

from .tools import log_tail


class CommandError(RuntimeError):
    """A command failed or timed out; the message has the command and its log tail."""


def run(argv: Sequence[str], seconds: float = 120) -> str:
    """Run ``argv``; return its output, raise CommandError."""
    return finish(start(argv), seconds)


def start(argv: Sequence[str]) -> "subprocess.Popen[str]":
    """Start ``argv``; ``finish`` returns its output."""
    return subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        universal_newlines=True,
    )


def finish(process: "subprocess.Popen[str]", seconds: float) -> str:
    """Wait for a started command; return its output, raise CommandError."""
    argv: List[str] = [str(argument) for argument in process.args]  # type: ignore[union-attr]
    command = " ".join(argv)[:200]
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired as error:
        process.kill()
        process.communicate()
        raise CommandError(f"not done after {seconds:g} s: {command}") from error
    if process.returncode:
        raise CommandError(f"exit code {process.returncode} of {command}: {log_tail(output)}")
    return output
