"""Streams of payments that are sent during a fault and verified afterwards.

`kafka-metal demo send` stores every acknowledgement in a ledger. `ledger verify` looks up each one
in the topic, `demo reconcile` in the outputs of the pipeline.
"""

from typing import Any

from testing.tools import SHARED, Tool, Tools

TOPIC = "payments"


class Stream:
    """One run of `demo send`; the sender ends with the context."""

    def __init__(self, tools: Tools, bootstrap: str, run: str) -> None:
        self._tools = tools
        self._bootstrap = bootstrap
        self._run = run
        self._ledger = f"{SHARED}/{run}.json"
        self._sender: Tool | None = None

    def start(self, count: int, rate: int) -> None:
        """Start to send ``count`` payments at ``rate`` per second."""
        self._sender = self._tools.start(
            *("demo", "send", "--bootstrap", self._bootstrap, "--topic", TOPIC),
            *("--run", self._run, "--seed", "1", "--count", str(count), "--rate", str(rate)),
            *("--ledger", self._ledger),
        )

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *exception: object) -> None:
        if self._sender:
            self._sender.__exit__(*exception)
        self._tools.forget(self._run)

    @property
    def runs(self) -> bool:
        """Whether payments are still being sent."""
        return self._sender is not None and self._sender.runs

    def output_tail(self) -> str:
        """Return the end of the sender's output."""
        assert self._sender is not None
        return self._sender.output()[-2000:]

    def finish(self, seconds: float) -> dict[str, Any]:
        """Wait for the last acknowledgement; return the ledger of the run."""
        assert self._sender is not None
        self._sender.finish(seconds)
        return self._tools.read(self._ledger)

    def stop(self, seconds: float = 120) -> dict[str, Any]:
        """Send no more, and wait for all acknowledgements; return the ledger of the run."""
        assert self._sender is not None
        self._sender.stop(seconds)
        ledger = self._tools.read(self._ledger)
        assert ledger["acknowledged"] == ledger["sent"], self.output_tail()
        return ledger

    def verify(self, seconds: float = 180) -> dict[str, Any]:
        """Look up every acknowledged record at its offset; return counts and lost offsets."""
        report = f"{SHARED}/{self._run}.verify.json"
        self._tools.run(
            *("ledger", "verify", "--bootstrap", self._bootstrap),
            *("--ledger", self._ledger, "--report", report),
            seconds=seconds,
        )
        return self._tools.read(report)

    def reconcile(self, seconds: float = 240) -> dict[str, Any]:
        """Look up every acknowledged payment in the pipeline's outputs; return the report."""
        report = f"{SHARED}/{self._run}.reconcile.json"
        self._tools.run(
            *("demo", "reconcile", "--bootstrap", self._bootstrap, "--ledger", self._ledger),
            *("--archive", f"{SHARED}/archive/payments", "--fraud-topic", "fraudulent_payments"),
            *("--invalid-topic", "payments_invalid", "--metrics-topic", "payment_metrics"),
            # On a busy machine a driver may need two minutes from a kill to its next batch.
            *("--timeout", str(seconds - 30), "--stall-timeout", str(min(180, seconds - 30))),
            *("--report", report),
            seconds=seconds,
        )
        return self._tools.read(report)
