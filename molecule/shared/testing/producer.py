"""Kafka's verifiable producer, which reports the result of each record with a time.

It is a Java client. A producer of librdkafka is unfit: while leaders move, its threads can spin for
seconds on every core and send nothing (its issues 2565 and 3692), which looks like an outage.
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

# Seconds until an unacknowledged record fails (delivery.timeout.ms).
DELIVERY_SECONDS = 120
# With this many keys each of twelve partitions gets a record at least every 52 records.
KEYS = 120
# Upper limit of the producer's duration, even if its test dies.
AT_MOST_SECONDS = 3600


class Producer:
    """Send ``rate`` numbered records a second until the context ends.

    Each line of its output is passed to ``received``, in a thread. Records are
    ``<run>.<number>``. The producer runs on this machine's engine, in the image of the brokers.
    """

    def __init__(
        self, bootstrap: str, topic: str, rate: int, acks: int, received: Callable[..., None]
    ) -> None:
        # The tool requires a number.
        self.run = str(uuid.uuid4().int % 10**9)
        self._name = f"drill-producer-{self.run}"
        self._received = received
        self._open = contextlib.ExitStack()
        folder = Path(self._open.enter_context(tempfile.TemporaryDirectory()))
        self._stderr = folder / "stderr"
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
        with self._stderr.open("w") as stderr:
            self._process = subprocess.Popen(
                self._command, stdout=subprocess.PIPE, stderr=stderr, text=True
            )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop it after the results of all sent records have arrived."""
        # `docker run` forwards the signal to the producer.
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(DELIVERY_SECONDS + 30)
        finally:
            subprocess.run(["docker", "rm", "--force", self._name], capture_output=True, check=True)
            self._listener.join()
            self._open.close()

    def check(self) -> None:
        """Raise AssertionError with its stderr if it has ended by itself."""
        if self._process.poll() is not None:
            raise AssertionError(f"the producer has ended: {self._stderr.read_text()[-3000:]}")

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            fields: dict[str, Any] = json.loads(line)
            self._received(**fields)


def _settings(acks: int) -> str:
    """Return the settings of a client that retries; the tool's default is not to retry."""
    own = (access.folder / "client.properties").read_text(encoding="utf-8") if access.folder else ""
    settings = {
        "retries": 2**31 - 1,
        "delivery.timeout.ms": DELIVERY_SECONDS * 1000,
        "enable.idempotence": str(acks == -1).lower(),
        "linger.ms": 5,
    }
    return own + "".join(f"\n{name}={value}" for name, value in settings.items())
