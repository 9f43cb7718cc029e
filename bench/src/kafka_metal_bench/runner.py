"""Run a plan within a time limit; every result is saved immediately."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Set

from kafka.errors import KafkaError

from . import machine, probes
from .admin import Admin, AdminError, parse_bootstrap
from .cluster import Client, Cluster, ClusterError
from .command import CommandError
from .kernel import Kernel, expand
from .measure import Measurement
from .plan import Knob, Plan, Row, Side, Variant
from .results import Results
from .schedule import interleaved, rotated
from .tools import OutputError

FAILURES = (AdminError, ClusterError, CommandError, KafkaError, OSError, OutputError)
TABLE, KNOB = "table", "knob"
OUT_OF_TIME = "the time limit of the run was reached"


class Runner:
    """Runs a plan; skips measurements that results.json already has."""

    def __init__(self, plan: Plan, results: Results, log: Callable[[str], Any]) -> None:
        """Start the time limit."""
        self.plan = plan
        self.results = results
        self.log = log
        self.deadline = time.monotonic() + plan.minutes * 60

        self.failures: List[str] = []

    @contextmanager
    def attempt(self, experiment: str, subject: str, side: str) -> Iterator[None]:
        """Log and save failures; a long run continues with the next measurement."""
        try:
            yield
        except FAILURES as error:
            self.failures.append(f"{experiment} {subject}, {side}: {error}")
            self.results.skip(experiment, subject, side, f"failed: {str(error)[:300]}")
            self.log(f"FAILED {self.failures[-1]}")

    def late(self, experiment: str, subject: str, side: str) -> bool:
        """Whether the time limit is reached; if so, save the reason."""
        if time.monotonic() < self.deadline:
            return False
        self.results.skip(experiment, subject, side, OUT_OF_TIME)
        return True

    def missing(self, experiment: str, subject: str, side: str, round_: int) -> bool:
        """Whether the measurement is missing and there is time for it."""
        return not self.results.done(experiment, subject, side, round_) and not self.late(
            experiment, subject, side
        )

    def save(
        self, experiment: str, subject: str, side: str, round_: int, results: Dict[str, Any]
    ) -> None:
        """Save and log a measurement."""
        stamp = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        key = {"experiment": experiment, "subject": subject, "side": side, "round": round_}
        load = {"load_1m": round(os.getloadavg()[0], 2)}
        self.results.add({**key, "at": stamp, **load, **results})
        value = (
            f"{results['records_s']:,.0f} records/s"
            if "records_s" in results
            else f"p50 {results['p50_ms']:g} ms, p99 {results['p99_ms']:g} ms"
        )
        left = max(0, int(self.deadline - time.monotonic()) // 60)
        self.log(f"{experiment} {subject}, {side}, round {round_}: {value} ({left} min left)")


class ExistingCluster(Runner):
    """Measures an existing cluster with scratch topics, which it deletes."""

    def run(self) -> None:
        """Measure all rows that this cluster supports."""
        variant = self.plan.variants[0]
        admin = Admin(parse_bootstrap(self.plan.bootstrap), self.plan.access)
        admin.wait_for_brokers(1)
        self.results.put("machine", machine.describe([self.plan.directory]))
        client = Client(self.plan)
        meter = Measurement(self.plan.settings, client.name, admin, [])
        try:
            for round_ in range(1, self.plan.rounds + 1):
                for row in self.plan.rows:
                    if row.kind == "growth" or row.replicas > self.plan.brokers:
                        why = f"not on an existing cluster of {self.plan.brokers} brokers"
                        self.results.skip(TABLE, row.id, variant.id, why)
                    elif self.missing(TABLE, row.id, variant.id, round_):
                        source = self.plan.row(row.reads) if row.reads else None
                        results = meter.row(row, Side(), source)
                        self.save(TABLE, row.id, variant.id, round_, results)
                admin.clear()
                meter.written.clear()
        finally:
            client.remove()
            admin.clear()


class ScratchClusters(Runner):
    """Measures new and empty clusters, one at a time."""

    def __init__(self, plan: Plan, results: Results, log: Callable[[str], Any]) -> None:
        """Claim the directory, and restore kernel settings of an interrupted run."""
        super().__init__(plan, results, log)
        self.cluster = Cluster(plan, log)
        self.kernel = Kernel(plan.directory / "kernel.json", log)

    def run(self) -> None:
        """Measure everything, the most important first."""
        try:
            self.limits()
            if self.plan.table:
                for round_, variant in interleaved(self.plan.variants, self.plan.rounds):
                    self.table(round_, variant)
                self.growth()
            self.knobs()
        finally:
            self.kernel.restore()
            self.cluster.close()

    def started(self, variant: Variant, side: Side) -> Measurement:
        """Start and warm up a new cluster; return its measurement."""
        self.log(f"starting an empty cluster: {variant.title}")
        self.cluster.start(variant, side)
        meter = Measurement(
            self.plan.settings, self.cluster.client.name, self.cluster.admin, self.cluster.pids
        )
        # The row with most replicas also warms up replication.
        producing = [row for row in self.plan.rows if row.kind == "produce"]
        meter.warm(max(producing, key=lambda row: (row.replicas, row.acks == "all")))
        return meter

    def limits(self) -> None:
        """Measure the limits of the machine, once."""
        if not self.results.data["limits"]:
            folders = [self.cluster.data]
            self.results.put("machine", machine.describe(folders))
            self.results.put("limits", probes.measure(folders, self.log))

    # -- table ---------------------------------------------------------------------------------

    def table(self, round_: int, variant: Variant) -> None:
        """Measure all rows except growth on one cluster."""
        rows = [
            row
            for row in self.plan.rows
            if row.kind != "growth" and self.missing(TABLE, row.id, variant.id, round_)
        ]
        if not rows:
            return
        with self.attempt(TABLE, rows[0].id, variant.id):
            meter = self.started(variant, Side())
            for row in rows:
                if not self.late(TABLE, row.id, variant.id):
                    source = self.plan.row(row.reads) if row.reads else None
                    results = meter.row(row, Side(), source)
                    self.save(TABLE, row.id, variant.id, round_, results)

    def growth(self) -> None:
        """Measure growth rows, which write more than the page cache of the brokers."""
        small = Side(
            memory=str(self.plan.settings["growth_memory"]),
            environment={"KAFKA_HEAP": str(self.plan.settings["growth_heap"])},
        )
        for row in (row for row in self.plan.rows if row.kind == "growth"):
            for round_, variant in interleaved(self.plan.variants, row.rounds or self.plan.rounds):
                if row.variants and variant.id not in row.variants:
                    why = "a process of the host has no limit of its page cache"
                    self.results.skip(TABLE, row.id, variant.id, why)
                elif self.missing(TABLE, row.id, variant.id, round_):
                    with self.attempt(TABLE, row.id, variant.id):
                        results = self.started(variant, small).row(row, Side())
                        self.save(TABLE, row.id, variant.id, round_, results)

    # -- knobs ---------------------------------------------------------------------------------

    def knobs(self) -> None:
        """Measure all knobs: first those that need no restart, on one cluster."""
        live = [knob for knob in self.plan.knobs if not knob.restarts]
        restarting = [knob for knob in self.plan.knobs if knob.restarts]
        meter: Optional[Measurement] = None
        for knob in live:
            if self.wanted(knob):
                meter = meter or self.started(self.plan.variants[0], Side())
                self.switch(knob, meter)
        for knob in restarting:
            if self.wanted(knob):
                self.switch(knob, None)

    def wanted(self, knob: Knob) -> bool:
        """Whether it can be measured and a round is missing."""
        if knob.not_measured:
            self.results.skip(KNOB, knob.id, "a", knob.not_measured)
            return False
        rounds = range(1, self.plan.rounds + 1)
        return any(self.missing(KNOB, knob.id, side, n) for side in "ab" for n in rounds)

    def switch(self, knob: Knob, meter: Optional[Measurement]) -> None:
        """Measure all rounds of a knob in alternating order (A B, B A)."""
        for round_ in range(1, self.plan.rounds + 1):
            for name in rotated("ab", round_):
                if self.missing(KNOB, knob.id, name, round_):
                    with self.attempt(KNOB, knob.id, name):
                        self.measure_side(knob, name, round_, meter)
        if meter and knob.a.dynamic:
            # Side a has our values: restore them for the next knob.
            meter.configure(knob.a.dynamic)

    def measure_side(
        self, knob: Knob, name: str, round_: int, meter: Optional[Measurement]
    ) -> None:
        """Measure one round of one side."""
        side: Side = getattr(knob, name)
        row = self.plan.row(knob.row)
        try:
            self.kernel.set(expand(side.kernel, self.devices()))
            its = meter or self.started(self.plan.variants[0], side)
            results = its.row(row, side, self.plan.row(row.reads) if row.reads else None)
        finally:
            self.kernel.restore()
        self.save(KNOB, knob.id, name, round_, results)
        if meter:
            self.delete_topic(meter, row)

    def devices(self) -> List[str]:
        """Return the block devices of the data directory."""
        return sorted({probes.device_of(Path(self.cluster.data))})

    @staticmethod
    def delete_topic(meter: Measurement, row: Row) -> None:
        """Delete the topic of a knob's round, so that a long run does not fill the disk."""
        topics: Set[str] = {meter.written.pop(row.id)} if row.id in meter.written else set()
        meter.admin.delete(sorted(topics))
