"""Kafka's own verifiable producer, which drills listen to: what became of each record, and when.

A client of the Java kind, as most are. A producer of librdkafka does not measure a cluster: while
leaders move, its threads can turn for seconds on every core and send nothing (its issues 2565 and
3692), which looks like an outage that no broker had.
"""

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import threading
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible_collections.metal.kafka.plugins.plugin_utils._images.images import catalogue, find

from testing import access

# How long a record may wait for its acknowledgement before the client is told that it is lost.
DELIVERY_SECONDS = 120
# Keys that reach each of twelve partitions at least every 52 records.
KEYS = 120
# Whatever becomes of the test, its producer ends by then.
AT_MOST_SECONDS = 3600


class Producer:
    """Sends ``rate`` numbered records a second until it is closed; use it as a context.

    Each line that it says is given to ``heard``, in a thread of its own. Records are
    ``<run>.<number>``. It runs on this machine's engine, in the image that brokers have.
    """

    def __init__(
        self, bootstrap: str, topic: str, rate: int, acks: int, heard: Callable[..., None]
    ) -> None:
        # A number, as the tool wants it.
        self.run = str(uuid.uuid4().int % 10**9)
        self._name = f"drill-producer-{self.run}"
        self._heard = heard
        self._open = contextlib.ExitStack()
        folder = Path(self._open.enter_context(tempfile.TemporaryDirectory()))
        self._complaints = folder / "stderr"
        config = folder / "producer.properties"
        config.touch(mode=0o600)
        config.write_text(_settings(acks), encoding="utf-8")
        folders = [folder, *([access.folder] if access.folder else [])]
        self._command = [
            *("docker", "run", "--rm", "--name", self._name, "--network", "host"),
            *("--user", f"{os.getuid()}:{os.getgid()}", "--read-only", "--cap-drop", "ALL"),
            *("--tmpfs", "/tmp:exec", *(f"--volume={path}:{path}:ro" for path in folders)),
            find("kafka", catalogue(registry="", wanted={})).reference,
            *("kafka-verifiable-producer", "--bootstrap-server", bootstrap, "--topic", topic),
            *("--throughput", str(rate), "--max-messages", str(rate * AT_MOST_SECONDS)),
            *("--acks", str(acks), "--repeating-keys", str(KEYS), "--value-prefix", self.run),
            *("--producer.config", str(config)),
        ]

    def __enter__(self) -> "Producer":
        with self._complaints.open("w") as complaints:
            self._process = subprocess.Popen(
                self._command, stdout=subprocess.PIPE, stderr=complaints, text=True
            )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End it: what is under way is still answered."""
        # The engine's client hands it over to the producer.
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(DELIVERY_SECONDS + 30)
        finally:
            subprocess.run(["docker", "rm", "--force", self._name], capture_output=True, check=True)
            self._listener.join()
            self._open.close()

    def check(self) -> None:
        """AssertionError when it has ended by itself, with what it complained about."""
        if self._process.poll() is not None:
            raise AssertionError(f"the producer has ended: {self._complaints.read_text()[-3000:]}")

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            fields: dict[str, Any] = json.loads(line)
            self._heard(**fields)


def _settings(acks: int) -> str:
    """The tool repeats nothing by itself; here it does what every careful client does."""
    own = (access.folder / "client.properties").read_text(encoding="utf-8") if access.folder else ""
    settings = {
        "retries": 2**31 - 1,
        "delivery.timeout.ms": DELIVERY_SECONDS * 1000,
        "enable.idempotence": str(acks == -1).lower(),
        "linger.ms": 5,
    }
    return own + "".join(f"\n{name}={value}" for name, value in settings.items())
