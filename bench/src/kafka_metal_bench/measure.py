"""One measurement: a topic, one or more of Kafka's own tools, their results and CPU time."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, Dict, List, Optional, Sequence

from . import tls, tools
from .admin import PREFIX, Admin
from .command import finish, run, start
from .plan import Row, Side
from .usage import Meter

# Producer options of the published table.
PRODUCER = {"buffer.memory": "67108864", "batch.size": "8196"}
STALL_TIMEOUT = 600
# Seconds for measuring other load of the machine before every measurement.
BACKGROUND_S = 0.3


class Measurement:
    """Measures rows on one running cluster; topics exist as long as the cluster."""

    def __init__(
        self, settings: Dict[str, Any], client: str, admin: Admin, pids: Sequence[int]
    ) -> None:
        """Store the settings without connecting."""
        self.settings = settings
        self.client = client
        self.admin = admin
        self.pids = list(pids)
        self.bootstrap = ",".join(admin.bootstrap)
        self.written: Dict[str, str] = {}
        self.count = 0

    def row(self, row: Row, side: Side, source: Optional[Row] = None) -> Dict[str, Any]:
        """Return the results of ``row`` on ``side``; ``source``: row that writes its input."""
        if side.dynamic:
            self.configure(side.dynamic)
        if row.kind == "consume":
            if source is None:
                raise ValueError(f"row {row.id} has no source")
            if source.id not in self.written:
                self.row(source, Side())
            return self.measured(row, self.consumers(row, self.written[source.id]))
        topic = self.topic(row, side)
        if row.kind == "latency":
            return self.measured(row, [self.latency(row, topic)])
        self.written[row.id] = topic
        records = int(self.settings["growth_records" if row.kind == "growth" else "records"])
        return self.measured(row, self.producers(row, side, topic, records))

    def warm(self, row: Row) -> None:
        """Warm up the JVMs of brokers: run the same work without measuring."""
        records = int(self.settings["warmup_records"])
        topic = self.topic(row, Side())
        self.measured(row, self.producers(replace(row, clients=1), Side(), topic, records))
        self.admin.delete([topic])

    # -- parts ---------------------------------------------------------------------------------

    def topic(self, row: Row, side: Side) -> str:
        """Create a topic for a measurement; return its name."""
        self.count += 1
        name = f"{PREFIX}{row.id.replace('_', '-')}-{self.count}-{time.time_ns() // 1_000_000}"
        # Files of a deleted topic are removed within a second instead of a minute.
        config = {"file.delete.delay.ms": "1000", **side.topic}
        self.admin.create(name, int(self.settings["partitions"]), row.replicas, config)
        return name

    def configure(self, values: Dict[str, str]) -> None:
        """Change dynamic settings of all brokers."""
        pairs = ",".join(f"{key}={value}" for key, value in values.items())
        argv = self.tool("kafka-configs", "--bootstrap-server", self.bootstrap, "--alter")
        argv += self.login_options("--command-config")
        run([*argv, "--entity-type", "brokers", "--entity-default", "--add-config", pairs])

    def tool(self, name: str, *arguments: str) -> List[str]:
        """Return a command in the client's container."""
        return ["docker", "exec", self.client, name, *arguments]

    def login_options(self, option: str) -> List[str]:
        """Return the options for authentication; empty for a cluster without it."""
        return [option, self.admin.properties] if self.admin.properties else []

    def producers(self, row: Row, side: Side, topic: str, records: int) -> List[List[str]]:
        """Return the commands of a producing row; several producers share the records."""
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
        one += self.login_options("--producer.config")
        one += ["--producer-props"]
        return [one + [f"{key}={value}" for key, value in properties.items()]] * row.clients

    def consumers(self, row: Row, topic: str) -> List[List[str]]:
        """Return the commands of a consuming row; each consumer has its own group."""
        stamp = time.time_ns() // 1_000_000
        # Three producers write a number of records that is divisible by three.
        records = int(self.settings["records"]) // 3 * 3
        one = self.tool("kafka-consumer-perf-test", "--bootstrap-server", self.bootstrap)
        one += ["--topic", topic, "--messages", str(records), "--timeout", "20000"]
        one += self.login_options("--consumer.config")
        return [[*one, "--group", f"{PREFIX}{stamp}-{n}"] for n in range(row.clients)]

    def latency(self, row: Row, topic: str) -> List[str]:
        """Return the command of the latency row."""
        count, size = self.settings["latency_records"], self.settings["record_size"]
        arguments = [self.bootstrap, topic, str(count), row.acks, str(size), self.admin.properties]
        return self.tool("kafka-e2e-latency", *filter(None, arguments))

    def measured(self, row: Row, commands: List[List[str]]) -> Dict[str, Any]:
        """Run all commands concurrently; return their results and CPU times."""
        others = background()
        meter, begun = Meter(self.pids), time.monotonic()
        processes = [start(command) for command in commands]
        outputs = [finish(process, STALL_TIMEOUT) for process in processes]
        results: Dict[str, Any] = {"seconds": round(time.monotonic() - begun, 2), **meter.read()}
        results["background_busy"] = others
        parse = {"consume": tools.consumer_results, "latency": tools.end_to_end}.get(
            row.kind, tools.producer_results
        )
        results.update(tools.combine_results([parse(output) for output in outputs]))
        if "records_s" in results:
            results["bytes_s"] = results["records_s"] * int(self.settings["record_size"])
        if "broker_cpu_s" in results and results.get("records"):
            results["broker_cpu_us_per_record"] = round(
                results["broker_cpu_s"] / results["records"] * 1e6, 3
            )
        if row.kind == "growth":
            size = int(self.settings["record_size"])
            results["series"] = [(sent * size, rate) for sent, rate in tools.windows(outputs[0])]
        return results


def background() -> float:
    """Return the CPU share of other processes, while the benchmark is idle."""
    meter = Meter([])
    time.sleep(BACKGROUND_S)
    return meter.read()["cpu_busy"]
