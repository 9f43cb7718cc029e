"""Payments that are sent while something happens, and their account afterwards.

`kafka-metal demo send` writes down every acknowledgement; `ledger verify` looks each one up in the
log; `demo reconcile` looks each one up in what the pipeline made of it.
"""

from typing import Any

from testing.tools import SHARED, Tool, Tools

TOPIC = "payments"


class Stream:
    """One run of `demo send`; use it as a context, so that no sender outlives its test."""

    def __init__(self, tools: Tools, bootstrap: str, run: str) -> None:
        self._tools = tools
        self._bootstrap = bootstrap
        self._run = run
        self._ledger = f"{SHARED}/{run}.json"
        self._sender: Tool | None = None

    def start(self, count: int, rate: int) -> None:
        """Send ``count`` payments at ``rate`` per second from now on."""
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
        """The end of what the sender has said."""
        assert self._sender is not None
        return self._sender.output()[-2000:]

    def finish(self, seconds: float) -> dict[str, Any]:
        """Wait for the last acknowledgement; the ledger of the run."""
        assert self._sender is not None
        self._sender.finish(seconds)
        return self._tools.read(self._ledger)

    def verify(self, seconds: float = 180) -> dict[str, Any]:
        """Look up every acknowledged record at its offset; counts, lost offsets by partition."""
        report = f"{SHARED}/{self._run}.account.json"
        self._tools.run(
            *("ledger", "verify", "--bootstrap", self._bootstrap),
            *("--ledger", self._ledger, "--report", report),
            seconds=seconds,
        )
        return self._tools.read(report)

    def reconcile(self, seconds: float = 240) -> dict[str, Any]:
        """Look up every acknowledged payment in what the pipeline wrote; the tool's report."""
        report = f"{SHARED}/{self._run}.reconcile.json"
        self._tools.run(
            *("demo", "reconcile", "--bootstrap", self._bootstrap, "--ledger", self._ledger),
            *("--archive", f"{SHARED}/archive/payments", "--fraud-topic", "fraudulent_payments"),
            *("--invalid-topic", "payments_invalid", "--metrics-topic", "payment_metrics"),
            *("--timeout", str(seconds - 30), "--report", report),
            seconds=seconds,
        )
        return self._tools.read(report)
