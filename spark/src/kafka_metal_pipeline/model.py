"""What a declared pipeline is, once it is known to be right."""

from dataclasses import dataclass, field

from kafka_metal_pipeline.ddl import Field

AVAILABLE_NOW = "available-now"


@dataclass(frozen=True, slots=True)
class Source:
    """The topic that is read, and what its records hold.

    ``event_time`` is the field that says when an event happened; None when no field does.
    ``max_per_trigger`` is the most records one batch reads.
    """

    topic: str
    format: str
    fields: tuple[Field, ...]
    event_time: str | None
    starting: str
    max_per_trigger: int
    delimiter: str
    null_value: str
    duplicate_keys: str
    on_data_loss: str


@dataclass(frozen=True, slots=True)
class Watermark:
    """How long after the newest ``column`` seen so far an event may still come."""

    column: str
    delay: str


@dataclass(frozen=True, slots=True)
class Output:
    """One statement over the view ``events``, and where its rows go: a topic or an archive."""

    name: str
    sql: str
    topic: str | None
    key: str | None
    path: str | None
    partition_by: tuple[str, ...]
    mode: str
    watermark: Watermark | None
    trigger: str


@dataclass(frozen=True, slots=True)
class Resources:
    """What a pipeline takes of the cluster; memory in the JVM's words, as ``1g``."""

    cores: int
    executor_memory: str
    driver_memory: str


@dataclass(frozen=True, slots=True)
class Site:
    """Where a pipeline runs: what the one who deploys it adds to the declaration."""

    master: str = "local[2]"
    bootstrap: tuple[str, ...] = ()
    kafka_options: dict[str, str] = field(default_factory=dict)
    spark_options: dict[str, str] = field(default_factory=dict)
    checkpoint_root: str = ""
    archive_root: str = ""
    status: str | None = None
    driver_host: str | None = None
    driver_port: int | None = None
    block_manager_port: int | None = None
    ui_port: int | None = None
    event_log_dir: str | None = None
    shuffle_partitions: int | None = None


@dataclass(frozen=True, slots=True)
class Declaration:
    """A pipeline: every record of the source ends in the outputs, or in ``invalid``."""

    name: str
    source: Source
    rules: dict[str, str]
    outputs: tuple[Output, ...]
    invalid: str
    trigger: str
    resources: Resources
    site: Site
