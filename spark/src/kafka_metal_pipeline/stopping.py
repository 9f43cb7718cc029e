"""Stop queries between two batches."""

import time
from collections.abc import Mapping

from pyspark.sql.streaming.query import StreamingQuery

# On SIGTERM a running batch may finish within this time, so that its rows are not written to a
# topic twice. The stop timeout of the container is longer.
STOP_S = 25.0
STOP_POLL_S = 0.05


def stop_between_batches(started: Mapping[str, StreamingQuery], seconds: float) -> None:
    """Stop each query after its current batch, or after ``seconds``."""
    deadline = time.monotonic() + seconds
    batches = {name: _batch(query) for name, query in started.items()}
    left = dict(started)
    while left:
        for name, query in list(left.items()):
            between = not query.status["isTriggerActive"] or _batch(query) != batches[name]
            if not query.isActive or between or time.monotonic() > deadline:
                query.stop()
                del left[name]
        if left:
            time.sleep(STOP_POLL_S)


def _batch(query: StreamingQuery) -> int:
    last = query.lastProgress
    return -1 if last is None else int(last["batchId"])
