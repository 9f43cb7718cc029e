"""Signals that stop a command that sends records: those in flight still get their result."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SIGNALS = (signal.SIGINT, signal.SIGTERM)
# End of a progress line after the first signal: records may be in flight for minutes.
WAITING = "; stopped, waiting for the records in flight (a second signal ends at once)"

# Called before each record; true after a signal.
Stop = Callable[[], bool]


@contextmanager
def stop_signal() -> Iterator[Stop]:
    """Return a check that is true after SIGINT or SIGTERM; a second signal kills the process.

    After the context, signals have the same effect as before.
    """
    caught: list[int] = []

    def catch(number: int, _frame: object) -> None:
        caught.append(number)
        for each in SIGNALS:
            signal.signal(each, signal.SIG_DFL)

    before = {number: signal.signal(number, catch) for number in SIGNALS}
    try:
        yield lambda: bool(caught)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
