"""One measurement: a topic, one or more of Kafka's own tools, their figures, the CPU they took."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, Dict, List, Optional, Sequence

from . import tls, tools
from .admin import PREFIX, Admin
from .command import finish, run, start
from .plan import Row, Side
from .usage import Meter

# What the author of the published table gave his producers.
PRODUCER = {"buffer.memory": "67108864", "batch.size": "8196"}
STALL_TIMEOUT = 600
# Seconds of a look at what else the machine does, before every measurement.
LOOK = 0.3


class Measurement:
    """Measures rows against one running cluster; topics live as long as the cluster does."""

    def __init__(
        self, settings: Dict[str, Any], client: str, admin: Admin, pids: Sequence[int]
    ) -> None:
        """Nothing is asked yet."""
        self.settings = settings
        self.client = client
        self.admin = admin
        self.pids = list(pids)
        self.bootstrap = ",".join(admin.bootstrap)
        self.written: Dict[str, str] = {}
        self.count = 0

    def row(self, row: Row, side: Side, source: Optional[Row] = None) -> Dict[str, Any]:
        """Figures of ``row`` with what ``side`` changes; ``source`` is what a reader needs."""
        if side.dynamic:
            self.configure(side.dynamic)
        if row.kind == "consume":
            if source is None:
                raise ValueError(f"row {row.id} reads nothing")
            if source.id not in self.written:
                self.row(source, Side())
            return self.watched(row, self.consumers(row, self.written[source.id]))
        topic = self.topic(row, side)
        if row.kind == "latency":
            return self.watched(row, [self.latency(row, topic)])
        self.written[row.id] = topic
        records = int(self.settings["growth_records" if row.kind == "growth" else "records"])
        return self.watched(row, self.producers(row, side, topic, records))

    def warm(self, row: Row) -> None:
        """The same work before anything counts: a JVM compiles what it runs often."""
        records = int(self.settings["warmup_records"])
        topic = self.topic(row, Side())
        self.watched(row, self.producers(replace(row, clients=1), Side(), topic, records))
        self.admin.delete([topic])

    # -- parts ---------------------------------------------------------------------------------

    def topic(self, row: Row, side: Side) -> str:
        """A new topic for a measurement."""
        self.count += 1
        name = f"{PREFIX}{row.id.replace('_', '-')}-{self.count}-{time.time_ns() // 1_000_000}"
        # A deleted topic leaves the disk within a second instead of a minute.
        config = {"file.delete.delay.ms": "1000", **side.topic}
        self.admin.create(name, int(self.settings["partitions"]), row.replicas, config)
        return name

    def configure(self, values: Dict[str, str]) -> None:
        """Settings of all brokers that need no restart."""
        pairs = ",".join(f"{key}={value}" for key, value in values.items())
        argv = self.tool("kafka-configs", "--bootstrap-server", self.bootstrap, "--alter")
        argv += self.way_in("--command-config")
        run([*argv, "--entity-type", "brokers", "--entity-default", "--add-config", pairs])

    def tool(self, name: str, *words: str) -> List[str]:
        """A command in the client's container."""
        return ["docker", "exec", self.client, name, *words]

    def way_in(self, option: str) -> List[str]:
        """The words with which a tool comes in: none where nobody is asked."""
        return [option, self.admin.properties] if self.admin.properties else []

    def producers(self, row: Row, side: Side, topic: str, records: int) -> List[List[str]]:
        """Commands of a producing row; several producers share the records."""
        properties = {
            "bootstrap.servers": self.bootstrap,
            "acks": row.acks,
            **PRODUCER,
            **side.producer,
            **(tls.producer_options(self.bootstrap) if side.tls else {}),
        }
        one = self.tool("kafka-producer-perf-test", "--topic", topic)
        one += ["--num-records", str(records // row.clients), "--throughput", "-1"]
        one += ["--record-size", str(self.settings["record_size"])]
        one += self.way_in("--producer.config")
        one += ["--producer-props"]
        return [one + [f"{key}={value}" for key, value in properties.items()]] * row.clients

    def consumers(self, row: Row, topic: str) -> List[List[str]]:
        """Commands of a consuming row; each consumer is a group of its own and reads everything."""
        stamp = time.time_ns() // 1_000_000
        # What the producers left out by rounding must not be waited for.
        records = int(self.settings["records"]) // 3 * 3
        one = self.tool("kafka-consumer-perf-test", "--bootstrap-server", self.bootstrap)
        one += ["--topic", topic, "--messages", str(records), "--timeout", "20000"]
        one += self.way_in("--consumer.config")
        return [[*one, "--group", f"{PREFIX}{stamp}-{n}"] for n in range(row.clients)]

    def latency(self, row: Row, topic: str) -> List[str]:
        """The command of the end-to-end row."""
        count, size = self.settings["latency_records"], self.settings["record_size"]
        words = [self.bootstrap, topic, str(count), row.acks, str(size), self.admin.properties]
        return self.tool("kafka-e2e-latency", *filter(None, words))

    def watched(self, row: Row, commands: List[List[str]]) -> Dict[str, Any]:
        """Run all commands at once and read their figures and the CPU they took."""
        others = background()
        meter, begun = Meter(self.pids), time.monotonic()
        processes = [start(command) for command in commands]
        outputs = [finish(process, STALL_TIMEOUT) for process in processes]
        figures: Dict[str, Any] = {"seconds": round(time.monotonic() - begun, 2), **meter.read()}
        figures["background_busy"] = others
        parse = {"consume": tools.consumed, "latency": tools.end_to_end}.get(
            row.kind, tools.produced
        )
        figures.update(tools.together([parse(output) for output in outputs]))
        if "records_s" in figures:
            figures["bytes_s"] = figures["records_s"] * int(self.settings["record_size"])
        if "broker_cpu_s" in figures and figures.get("records"):
            figures["broker_cpu_us_per_record"] = round(
                figures["broker_cpu_s"] / figures["records"] * 1e6, 3
            )
        if row.kind == "growth":
            size = int(self.settings["record_size"])
            figures["series"] = [(sent * size, rate) for sent, rate in tools.windows(outputs[0])]
        return figures


def background() -> float:
    """Share of the machine that is busy while this benchmark itself does nothing."""
    meter = Meter([])
    time.sleep(LOOK)
    return meter.read()["cpu_busy"]
