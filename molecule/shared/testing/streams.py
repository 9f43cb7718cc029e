"""Records that are sent while something happens, and their account afterwards.

`kafka-metal demo send` writes down every acknowledgement; `kafka-metal ledger verify` reads the log
and counts record by record.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

TOOL = Path(sys.executable).with_name("kafka-metal")


def _run(command: list[str], seconds: float) -> str:
    answer = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    assert answer.returncode == 0, f"{' '.join(command)}\n{answer.stdout}{answer.stderr}"
    return answer.stdout


class Stream:
    """A running `demo send`; use it as a context, so that no sender outlives its test."""

    def __init__(self, bootstrap: str, topic: str, run: str, directory: Path) -> None:
        self._bootstrap = bootstrap
        self._topic = topic
        self._run_id = run
        self.ledger = directory / f"{run}.json"
        self._log = directory / f"{run}.log"
        self._sender: subprocess.Popen[bytes] | None = None

    def start(self, count: int, rate: int) -> "Stream":
        """Send ``count`` records at ``rate`` per second from now on."""
        with self._log.open("wb") as log:
            self._sender = subprocess.Popen(
                [
                    *(str(TOOL), "demo", "send", "--bootstrap", self._bootstrap),
                    *("--topic", self._topic, "--run", self._run_id, "--seed", "1"),
                    *("--count", str(count), "--rate", str(rate), "--ledger", str(self.ledger)),
                ],
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        return self

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: object) -> None:
        if self._sender is not None and self._sender.poll() is None:
            self._sender.kill()
            self._sender.wait()

    @property
    def sending(self) -> bool:
        """Whether the sender still runs."""
        return self._sender is not None and self._sender.poll() is None

    def finish(self, seconds: float) -> dict[str, Any]:
        """Wait for the last acknowledgement; the ledger of the run."""
        assert self._sender is not None
        code = self._sender.wait(timeout=seconds)
        assert code == 0, f"sender ended with {code}:\n{self._log.read_text()[-4000:]}"
        return json.loads(self.ledger.read_text())

    def account(self, seconds: float = 120) -> dict[str, Any]:
        """Look up every acknowledged record at its offset; counts, lost offsets by partition."""
        report = self.ledger.with_suffix(".account.json")
        _run(
            [
                *(str(TOOL), "ledger", "verify", "--bootstrap", self._bootstrap),
                *("--ledger", str(self.ledger), "--report", str(report)),
            ],
            seconds,
        )
        return json.loads(report.read_text())
