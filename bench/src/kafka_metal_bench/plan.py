"""The plan of a benchmark: parsed and validated data from the role."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Type, TypeVar

KINDS = ("produce", "consume", "latency", "growth")
WAYS = ("container", "published", "process", "existing")

T = TypeVar("T")


class PlanError(ValueError):
    """The plan is invalid; the message has the entry, the found and the allowed values."""


@dataclass(frozen=True)
class Row:
    """One row of the table: the tool, the number of clients, and the topic."""

    id: str
    title: str
    kind: str
    clients: int = 1
    replicas: int = 1
    acks: str = "1"
    # Row whose records a consuming row reads, written in the same round.
    reads: str = ""
    # Result in the published table; None if it has none.
    published: Optional[float] = None
    # Number of rounds of a long row; 0: as in the plan.
    rounds: int = 0
    # Variants to measure; empty: all.
    variants: List[str] = field(default_factory=list)

    @property
    def readers(self) -> int:
        """Number of consumers that read each record."""
        return self.clients if self.kind == "consume" else 0


@dataclass(frozen=True)
class Variant:
    """A way to run the declared cluster."""

    id: str
    title: str
    run: str


@dataclass(frozen=True)
class Side:
    """One side of a knob: its differences from the declaration."""

    label: str = ""
    # Options of the producer and configs of the topic; need only a new topic.
    producer: Dict[str, str] = field(default_factory=dict)
    topic: Dict[str, str] = field(default_factory=dict)
    # Dynamic configs of brokers.
    dynamic: Dict[str, str] = field(default_factory=dict)
    # Files of the kernel and their values; {device}: block device of each log dir.
    kernel: Dict[str, str] = field(default_factory=dict)
    # The following fields restart the brokers: keys of server.properties, environment variables,
    # the memory limit of the container, a separate file system for the log dirs.
    broker: Dict[str, str] = field(default_factory=dict)
    environment: Dict[str, str] = field(default_factory=dict)
    memory: str = ""
    storage: Dict[str, str] = field(default_factory=dict)
    # TLS between brokers, and between producers and brokers.
    tls: bool = False
    restart: bool = False

    @property
    def restarts(self) -> bool:
        """Whether brokers must restart for it."""
        changes = (self.broker, self.environment, self.memory, self.storage, self.tls)
        return self.restart or any(changes)


@dataclass(frozen=True)
class Knob:
    """A single setting that is measured with two values, its sides."""

    id: str
    title: str
    # Id of the row to measure.
    row: str
    a: Side
    b: Side
    # Reason why it is not measured; empty: it is measured.
    not_measured: str = ""

    @property
    def restarts(self) -> bool:
        """Whether a change of the side restarts the brokers."""
        return self.a.restarts or self.b.restarts


@dataclass(frozen=True)
class Plan:
    """Settings, rows, variants and knobs of one run."""

    # Settings that affect results: results of different settings are never mixed.
    settings: Dict[str, Any]
    minutes: float
    rounds: int
    directory: Path
    cluster: str
    address: str
    subnet: str
    bootstrap: str
    # Directory with settings for authentication: client.json for kafka-python, client.properties
    # for Kafka's tools, and the files that both refer to. Empty: no authentication.
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
    # Whether to measure the table, or only the knobs.
    table: bool = True

    def row(self, id_: str) -> Row:
        """Return the row with this id."""
        return next(row for row in self.rows if row.id == id_)


def entry(cls: Type[T], data: Mapping[str, Any], where: str) -> T:
    """Return ``data`` as an object; raise PlanError for unknown or missing keys."""
    known = {each.name for each in fields(cls)}  # type: ignore[arg-type]
    unknown = sorted(data.keys() - known)
    if unknown:
        raise PlanError(f"{where}: unknown {', '.join(unknown)}; known: {', '.join(sorted(known))}")
    try:
        return cls(**data)
    except TypeError as error:
        raise PlanError(f"{where}: {error}") from error


def knob(data: Mapping[str, Any]) -> Knob:
    """Return a knob with its two sides."""
    where = f"knob {data.get('id', '?')}"
    sides = {name: entry(Side, data.get(name) or {}, f"{where}, side {name}") for name in "ab"}
    return entry(Knob, {**data, **sides}, where)


def parse(data: Mapping[str, Any]) -> Plan:
    """Return the validated plan; raise PlanError."""
    rows = [entry(Row, each, f"row {each.get('id', '?')}") for each in data["rows"]]
    variants = [entry(Variant, each, f"variant {each.get('id', '?')}") for each in data["variants"]]
    knobs = [knob(each) for each in data["knobs"]]
    ids = {row.id for row in rows}
    for row in rows:
        if row.kind not in KINDS:
            raise PlanError(f"row {row.id}: kind {row.kind!r}; allowed: {', '.join(KINDS)}")
        if (row.kind == "consume") != (row.reads in ids):
            raise PlanError(f"row {row.id}: reads {row.reads!r}; only a consuming row names a row")
    for variant in variants:
        if variant.run not in WAYS:
            allowed = ", ".join(WAYS)
            raise PlanError(f"variant {variant.id}: run {variant.run!r}; allowed: {allowed}")
    for each in knobs:
        if each.row not in ids:
            raise PlanError(f"knob {each.id}: row {each.row!r}; allowed: {', '.join(sorted(ids))}")
        kind = next(row.kind for row in rows if row.id == each.row)
        if (each.a.tls or each.b.tls) and kind != "produce":
            raise PlanError(
                f"knob {each.id}: row {each.row!r} is {kind}; tls requires a row of kind produce"
            )
    rest = {key: value for key, value in data.items() if key not in ("rows", "variants", "knobs")}
    rest["directory"] = Path(rest["directory"])
    return entry(Plan, {**rest, "rows": rows, "variants": variants, "knobs": knobs}, "plan")


def load(path: Path) -> Plan:
    """Return the plan in a JSON file."""
    return parse(json.loads(path.read_text(encoding="utf-8")))
