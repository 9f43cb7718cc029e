"""What a declared pipeline is, once it is known to be right."""

from dataclasses import dataclass, field

from kafka_metal_declarations.ddl import Field

AVAILABLE_NOW = "available-now"
# Each record as it comes, instead of batches.
REAL_TIME = "real-time"

# By topic and partition; the offset is that of the first record.
Places = dict[str, dict[str, int]]
Starting = str | Places

AT_LEAST_ONCE, TRANSACTIONAL = "at_least_once", "transactional"


@dataclass(frozen=True, slots=True)
class Registry:
    """A schema registry that speaks Confluent's API, and the subject of the source's values."""

    url: str
    subject: str


@dataclass(frozen=True, slots=True)
class Source:
    """Topics, or an archive of their records, and what the records hold.

    ``path`` is the archive, below the archive's root; ``topics`` then says which of its topics.
    ``event_time`` is the field that says when an event happened; None when no field does.
    ``max_per_trigger`` is the most records one batch reads.
    """

    topics: tuple[str, ...]
    path: str | None
    format: str
    fields: tuple[Field, ...]
    event_time: str | None
    starting: Starting
    ending: Starting
    max_per_trigger: int
    delimiter: str
    null_value: str
    duplicate_keys: str
    on_data_loss: str
    registry: Registry | None = None
    # Avro schemas by id that records may be written with, known once the registry was asked.
    writers: tuple[tuple[int, str], ...] = ()

    @property
    def name(self) -> str:
        """What is read, for people and for checkpoints."""
        topics = ", ".join(sorted(self.topics))
        return f"archive {self.path}: {topics}" if self.path else topics


@dataclass(frozen=True, slots=True)
class Watermark:
    """How long after the newest ``column`` seen so far an event may still come."""

    column: str
    delay: str


@dataclass(frozen=True, slots=True)
class Metadata:
    """What headers say of the producer beside its host and the time: application and schema."""

    application: str
    schema: str


@dataclass(frozen=True, slots=True)
class Output:
    """One statement over the view ``events``, and where its rows go: topic, archive or table.

    ``keys`` are the columns of a table's key. ``starting`` is that of this output alone.
    """

    name: str
    sql: str
    topic: str | None
    key: str | None
    path: str | None
    partition_by: tuple[str, ...]
    mode: str
    watermark: Watermark | None
    trigger: str
    delivery: str = AT_LEAST_ONCE
    metadata: Metadata | None = None
    table: str | None = None
    keys: tuple[str, ...] = ()
    database: str | None = None
    starting: Starting | None = None

    @property
    def is_real_time(self) -> bool:
        """Whether its records go on one by one."""
        return self.trigger == REAL_TIME


@dataclass(frozen=True, slots=True)
class DatabaseSite:
    """How a database is reached; ``properties`` are those of its JDBC driver."""

    url: str
    properties: dict[str, str]
    password_file: str | None


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
    status_word_file: str | None = None
    driver_host: str | None = None
    driver_port: int | None = None
    block_manager_port: int | None = None
    ui_port: int | None = None
    event_log_dir: str | None = None
    shuffle_partitions: int | None = None
    databases: dict[str, DatabaseSite] = field(default_factory=dict)
    marks_topic: str | None = None
    # Names of functions that SQL may use beyond sql_words.
    sql_functions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Declaration:
    """A pipeline: every record of the source ends in the outputs, or in ``invalid``.

    ``invalid`` is None where no record can be invalid: whole records, and no rules.
    """

    name: str
    source: Source
    rules: dict[str, str]
    outputs: tuple[Output, ...]
    invalid: str | None
    trigger: str
    resources: Resources
    site: Site
