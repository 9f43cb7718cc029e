"""The whole run: limits, table, growth, knobs, within a bounded time, each figure kept at once."""

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
OUT_OF_TIME = "the time for the run was over"


class Runner:
    """Carries out a plan; what results.json has already is not measured again."""

    def __init__(self, plan: Plan, results: Results, say: Callable[[str], Any]) -> None:
        """Start the clock."""
        self.plan = plan
        self.results = results
        self.say = say
        self.deadline = time.monotonic() + plan.minutes * 60

        self.failures: List[str] = []

    @contextmanager
    def attempt(self, experiment: str, subject: str, side: str) -> Iterator[None]:
        """What fails is said and remembered; the rest of a long run goes on."""
        try:
            yield
        except FAILURES as error:
            self.failures.append(f"{experiment} {subject}, {side}: {error}")
            self.results.skip(experiment, subject, side, f"failed: {str(error)[:300]}")
            self.say(f"FAILED {self.failures[-1]}")

    def late(self, experiment: str, subject: str, side: str) -> bool:
        """Whether the time is over; then the reason is kept."""
        if time.monotonic() < self.deadline:
            return False
        self.results.skip(experiment, subject, side, OUT_OF_TIME)
        return True

    def missing(self, experiment: str, subject: str, side: str, round_: int) -> bool:
        """Whether there is something to measure, and time for it."""
        return not self.results.done(experiment, subject, side, round_) and not self.late(
            experiment, subject, side
        )

    def keep(
        self, experiment: str, subject: str, side: str, round_: int, figures: Dict[str, Any]
    ) -> None:
        """Keep a measurement and say it."""
        stamp = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        key = {"experiment": experiment, "subject": subject, "side": side, "round": round_}
        load = {"load_1m": round(os.getloadavg()[0], 2)}
        self.results.add({**key, "at": stamp, **load, **figures})
        value = (
            f"{figures['records_s']:,.0f} records/s"
            if "records_s" in figures
            else f"p50 {figures['p50_ms']:g} ms, p99 {figures['p99_ms']:g} ms"
        )
        left = max(0, int(self.deadline - time.monotonic()) // 60)
        self.say(f"{experiment} {subject}, {side}, round {round_}: {value} ({left} min left)")


class Existing(Runner):
    """Measures a cluster that is there: scratch topics only, and they are deleted."""

    def run(self) -> None:
        """Every row that this cluster can carry."""
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
                        figures = meter.row(row, Side(), source)
                        self.keep(TABLE, row.id, variant.id, round_, figures)
                admin.clear()
                meter.written.clear()
        finally:
            client.remove()
            admin.clear()


class Scratch(Runner):
    """Measures clusters of its own, one at a time, each new and empty."""

    def __init__(self, plan: Plan, results: Results, say: Callable[[str], Any]) -> None:
        """Take possession of directory and names."""
        super().__init__(plan, results, say)
        self.cluster = Cluster(plan, say)
        self.kernel = Kernel(plan.directory / "kernel.json", say)

    def run(self) -> None:
        """Everything, the most important first."""
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
        """A new cluster that has done some work, and its meter."""
        self.say(f"{variant.title} starts empty")
        self.cluster.start(variant, side)
        meter = Measurement(
            self.plan.settings, self.cluster.client.name, self.cluster.admin, self.cluster.pids
        )
        # Replication is compiled, too, before anything counts.
        producing = [row for row in self.plan.rows if row.kind == "produce"]
        meter.warm(max(producing, key=lambda row: (row.replicas, row.acks == "all")))
        return meter

    def limits(self) -> None:
        """The machine's own, once."""
        if not self.results.data["limits"]:
            folders = [self.cluster.data]
            self.results.put("machine", machine.describe(folders))
            self.results.put("limits", probes.measure(folders, self.say))

    # -- table ---------------------------------------------------------------------------------

    def table(self, round_: int, variant: Variant) -> None:
        """Every row but growth, on one cluster."""
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
                    figures = meter.row(row, Side(), source)
                    self.keep(TABLE, row.id, variant.id, round_, figures)

    def growth(self) -> None:
        """More than the page cache that brokers are allowed."""
        small = Side(
            memory=str(self.plan.settings["growth_memory"]),
            environment={"KAFKA_HEAP": str(self.plan.settings["growth_heap"])},
        )
        for row in (row for row in self.plan.rows if row.kind == "growth"):
            for round_, variant in interleaved(self.plan.variants, row.rounds or self.plan.rounds):
                if row.variants and variant.id not in row.variants:
                    why = "a process of the host has no page cache limit of its own"
                    self.results.skip(TABLE, row.id, variant.id, why)
                elif self.missing(TABLE, row.id, variant.id, round_):
                    with self.attempt(TABLE, row.id, variant.id):
                        figures = self.started(variant, small).row(row, Side())
                        self.keep(TABLE, row.id, variant.id, round_, figures)

    # -- knobs ---------------------------------------------------------------------------------

    def knobs(self) -> None:
        """First those that need no restart, on one cluster."""
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
        """Whether some round of it is missing and it can be measured."""
        if knob.not_measured:
            self.results.skip(KNOB, knob.id, "a", knob.not_measured)
            return False
        rounds = range(1, self.plan.rounds + 1)
        return any(self.missing(KNOB, knob.id, side, n) for side in "ab" for n in rounds)

    def switch(self, knob: Knob, meter: Optional[Measurement]) -> None:
        """All rounds of a knob, A B and B A in turn."""
        for round_ in range(1, self.plan.rounds + 1):
            for name in rotated("ab", round_):
                if self.missing(KNOB, knob.id, name, round_):
                    with self.attempt(KNOB, knob.id, name):
                        self.position(knob, name, round_, meter)
        if meter and knob.a.dynamic:
            # The first side is what we run: the next knob finds it so.
            meter.configure(knob.a.dynamic)

    def position(self, knob: Knob, name: str, round_: int, meter: Optional[Measurement]) -> None:
        """One round of one side."""
        side: Side = getattr(knob, name)
        row = self.plan.row(knob.row)
        try:
            self.kernel.set(expand(side.kernel, self.devices()))
            its = meter or self.started(self.plan.variants[0], side)
            figures = its.row(row, side, self.plan.row(row.reads) if row.reads else None)
        finally:
            self.kernel.restore()
        self.keep(KNOB, knob.id, name, round_, figures)
        if meter:
            self.forget(meter, row)

    def devices(self) -> List[str]:
        """Block devices under the data."""
        return sorted({probes.device_of(Path(self.cluster.data))})

    @staticmethod
    def forget(meter: Measurement, row: Row) -> None:
        """Delete what a knob's round has written, so that a long run does not fill the disk."""
        topics: Set[str] = {meter.written.pop(row.id)} if row.id in meter.written else set()
        meter.admin.delete(sorted(topics))
