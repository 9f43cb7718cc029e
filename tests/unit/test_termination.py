"""SIGTERM ends a process after a last action, with the effect that it had before."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from ansible_collections.metal.kafka.plugins.callback import progress
from plays import ROOT

SETUP = """
import signal
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("termination", "{path}")
termination = module_from_spec(spec)
spec.loader.exec_module(termination)
signal.signal(signal.SIGTERM, {before})
termination.before_termination(lambda: print("result", flush=True))
signal.raise_signal(signal.SIGTERM)
print("continued")
"""


@pytest.mark.parametrize(
    ("before", "code", "output"),
    [
        ("signal.SIG_DFL", -15, "result\n"),
        ("lambda *_: exit(7)", 7, "result\n"),
        ("signal.SIG_IGN", 0, "continued\n"),
    ],
)
def test_the_signal_keeps_its_effect(before, code, output):
    path = ROOT / "plugins/plugin_utils/_operations/termination.py"
    done = subprocess.run(
        [sys.executable, "-c", SETUP.format(path=path, before=before)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stdout) == (code, output)


def test_a_line_is_printed_if_the_signal_ends_the_output_meanwhile():
    lines = []

    class Log:
        def write(self, _: str) -> None:
            # The signal arrives here.
            callback.output = None

    callback = object.__new__(progress.CallbackModule)
    callback.run = os.getpid()
    callback.log = Log()
    callback.output = SimpleNamespace(screen=SimpleNamespace(show=lines.append))
    callback.display("a note")
    assert lines == ["a note"]
