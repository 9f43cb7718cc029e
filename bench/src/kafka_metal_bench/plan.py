"""What is to be measured, as the role hands it over: plain data, checked once."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Type, TypeVar

KINDS = ("produce", "consume", "latency", "growth")
WAYS = ("container", "published", "process", "existing")

T = TypeVar("T")


class PlanError(ValueError):
    """The plan cannot be carried out; names the entry, what was found and what is allowed."""


@dataclass(frozen=True)
class Row:
    """One row of the table: which tool, how many of it, against which topic."""

    id: str
    title: str
    kind: str
    clients: int = 1
    replicas: int = 1
    acks: str = "1"
    # A row that reads takes what this row wrote in the same round.
    reads: str = ""
    # Figure of the published table, for the eye; None where it has none.
    published: Optional[float] = None
    # Fewer than the run's own where one round is long and has its own windows; 0: as the run.
    rounds: int = 0
    # Variants that it is measured with; empty: all.
    variants: List[str] = field(default_factory=list)

    @property
    def readers(self) -> int:
        """How often each record is read while it is measured."""
        return self.clients if self.kind == "consume" else 0


@dataclass(frozen=True)
class Variant:
    """One way to run the declared cluster."""

    id: str
    title: str
    run: str


@dataclass(frozen=True)
class Side:
    """One position of a knob: what differs from the declaration."""

    label: str = ""
    # Options of the producer; keys of the topic: a new topic is enough.
    producer: Dict[str, str] = field(default_factory=dict)
    topic: Dict[str, str] = field(default_factory=dict)
    # Broker settings that Kafka changes at run time.
    dynamic: Dict[str, str] = field(default_factory=dict)
    # Files of the kernel and what is written to them; {device} is each log dirs' block device.
    kernel: Dict[str, str] = field(default_factory=dict)
    # From here on brokers start anew: keys of server.properties, variables of the container, its
    # memory limit, a file system of its own for the log dirs.
    broker: Dict[str, str] = field(default_factory=dict)
    environment: Dict[str, str] = field(default_factory=dict)
    memory: str = ""
    storage: Dict[str, str] = field(default_factory=dict)
    # Brokers and producers encrypt what they send.
    tls: bool = False
    restart: bool = False

    @property
    def restarts(self) -> bool:
        """Whether brokers must start anew for it."""
        changes = (self.broker, self.environment, self.memory, self.storage, self.tls)
        return self.restart or any(changes)


@dataclass(frozen=True)
class Knob:
    """A setting that is switched on its own between two positions."""

    id: str
    title: str
    # Id of the row that it is measured with.
    row: str
    a: Side
    b: Side
    # Why it is not measured; empty: it is.
    not_measured: str = ""

    @property
    def restarts(self) -> bool:
        """Whether a change of position starts the brokers anew."""
        return self.a.restarts or self.b.restarts


@dataclass(frozen=True)
class Plan:
    """A whole run."""

    # These decide what a figure means: results of different settings never mix.
    settings: Dict[str, Any]
    minutes: float
    rounds: int
    directory: Path
    cluster: str
    address: str
    subnet: str
    bootstrap: str
    # Directory with the way into a cluster that asks who comes: client.json for this program,
    # client.properties for Kafka's tools, and what both name. Empty: nobody is asked.
    access: str
    brokers: int
    client_image: str
    services: List[Dict[str, Any]]
    metadata_keys: List[str]
    stock_environment: Dict[str, str]
    rows: List[Row]
    variants: List[Variant]
    knobs: List[Knob]
    software: Dict[str, str]
    command: str
    # Whether the table is measured, or the knobs alone.
    table: bool = True

    def row(self, id_: str) -> Row:
        """The row of this name."""
        return next(row for row in self.rows if row.id == id_)


def entry(cls: Type[T], data: Mapping[str, Any], where: str) -> T:
    """``data`` as an object; raises PlanError for a key that nobody knows or that is missing."""
    known = {each.name for each in fields(cls)}  # type: ignore[arg-type]
    unknown = sorted(data.keys() - known)
    if unknown:
        raise PlanError(f"{where}: unknown {', '.join(unknown)}; known: {', '.join(sorted(known))}")
    try:
        return cls(**data)
    except TypeError as error:
        raise PlanError(f"{where}: {error}") from error


def knob(data: Mapping[str, Any]) -> Knob:
    """A knob with its two sides."""
    where = f"knob {data.get('id', '?')}"
    sides = {name: entry(Side, data.get(name) or {}, f"{where}, side {name}") for name in "ab"}
    return entry(Knob, {**data, **sides}, where)


def parse(data: Mapping[str, Any]) -> Plan:
    """A plan from plain data; raises PlanError."""
    rows = [entry(Row, each, f"row {each.get('id', '?')}") for each in data["rows"]]
    variants = [entry(Variant, each, f"variant {each.get('id', '?')}") for each in data["variants"]]
    knobs = [knob(each) for each in data["knobs"]]
    ids = {row.id for row in rows}
    for row in rows:
        if row.kind not in KINDS:
            raise PlanError(f"row {row.id}: kind {row.kind!r}; allowed: {', '.join(KINDS)}")
        if (row.kind == "consume") != (row.reads in ids):
            raise PlanError(f"row {row.id}: reads {row.reads!r}; a row that consumes names a row")
    for variant in variants:
        if variant.run not in WAYS:
            allowed = ", ".join(WAYS)
            raise PlanError(f"variant {variant.id}: run {variant.run!r}; allowed: {allowed}")
    for each in knobs:
        if each.row not in ids:
            raise PlanError(f"knob {each.id}: row {each.row!r}; allowed: {', '.join(sorted(ids))}")
        kind = next(row.kind for row in rows if row.id == each.row)
        if (each.a.tls or each.b.tls) and kind != "produce":
            raise PlanError(f"knob {each.id}: row {each.row!r} is {kind}; tls: a row of produce")
    rest = {key: value for key, value in data.items() if key not in ("rows", "variants", "knobs")}
    rest["directory"] = Path(rest["directory"])
    return entry(Plan, {**rest, "rows": rows, "variants": variants, "knobs": knobs}, "plan")


def load(path: Path) -> Plan:
    """The plan in a JSON file."""
    return parse(json.loads(path.read_text(encoding="utf-8")))
