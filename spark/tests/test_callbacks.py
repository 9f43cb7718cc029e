"""Authentication of Spark's port for Python callbacks, which any local user can reach."""

import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession


def port_of(spark: SparkSession) -> int:
    gateway: Any = spark.sparkContext._gateway
    return int(gateway._callback_server.server_socket.getsockname()[1])


def called(port: int, *lines: str) -> bytes:
    """The response to a caller."""
    with socket.create_connection(("127.0.0.1", port), timeout=2) as caller:
        caller.sendall("".join(f"{line}\n" for line in lines).encode())
        answer = b""
        try:
            while part := caller.recv(1024):
                answer += part
                if answer.endswith(b"\n"):
                    break
        except (TimeoutError, ConnectionResetError):
            pass
        return answer


def test_callback_without_token_is_rejected(
    spark: SparkSession, tmp_path: Path, eventually: Callable[[Callable[[], bool]], None]
) -> None:
    source = tmp_path / "in"
    source.mkdir()
    batches: list[tuple[int, int]] = []
    strange = threading.Event()

    def write(rows: DataFrame, batch: int) -> None:
        if not isinstance(rows, DataFrame):
            strange.set()
            raise ValueError("called without the token")
        batches.append((batch, rows.count()))

    (source / "a.txt").write_text("one\n")
    query = spark.readStream.text(str(source)).writeStream.foreachBatch(write)
    running = query.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
    try:
        eventually(lambda: batches == [(0, 1)])
        port = port_of(spark)
        for name in ("p0", "p1", "p2"):
            # A request that calls the function and removes it from Spark.
            for lines in (("c", name, "call", "sx", "i7", "e"), ("g", name, "e")):
                assert not called(port, *lines).startswith(b"!y"), lines
        assert not called(port, "A", "guessed", "c", "p0", "call", "e").startswith(b"!y")
        (source / "b.txt").write_text("two\nthree\n")
        eventually(lambda: len(batches) == 2)
        assert batches == [(0, 1), (1, 2)]
        assert running.exception() is None
        assert not strange.is_set()
    finally:
        running.stop()
