"""The dataclasses of a validated pipeline declaration."""

from dataclasses import dataclass, field

from kafka_metal_declarations.ddl import Field

AVAILABLE_NOW = "available-now"
# Processes each record on arrival, instead of in batches.
REAL_TIME = "real-time"

# Offset of the first record, by topic and partition.
Places = dict[str, dict[str, int]]
Starting = str | Places

AT_LEAST_ONCE, TRANSACTIONAL = "at_least_once", "transactional"


@dataclass(frozen=True, slots=True)
class RegistrySite:
    """A schema registry with Confluent's API, by the addresses of its instances.

    ``ca_file`` has the certificates that sign theirs (PEM), ``credentials_file`` name:password in
    base64 (RFC 7617).
    """

    urls: tuple[str, ...]
    ca_file: str | None = None
    credentials_file: str | None = None


@dataclass(frozen=True, slots=True)
class Registry:
    """The subject of the source's values, and its registry; None if the site has none."""

    subject: str
    site: RegistrySite | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """Topics, or an archive of their records, and the schema of the records.

    ``path`` is the archive, relative to the archive root; ``topics`` then selects its topics.
    ``event_time`` is the field with the time of an event; None if there is none.
    ``max_per_trigger`` is the maximum number of records per batch.
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
    # Writer schemas by id; filled after a query to the registry.
    writers: tuple[tuple[int, str], ...] = ()
    # Whether a record with another schema fails its batch; otherwise the record is invalid.
    fails_for_unknown_writers: bool = False

    @property
    def name(self) -> str:
        """Return the name of the source in messages and checkpoints."""
        topics = ", ".join(sorted(self.topics))
        return f"archive {self.path}: {topics}" if self.path else topics


@dataclass(frozen=True, slots=True)
class Watermark:
    """How late an event may be, relative to the largest ``column`` so far."""

    column: str
    delay: str


@dataclass(frozen=True, slots=True)
class Metadata:
    """Values for headers about the producer: application and schema."""

    application: str
    schema: str


@dataclass(frozen=True, slots=True)
class Output:
    """A query over the view ``events`` and the target of its rows: topic, archive or table.

    ``keys`` are the key columns of a table. ``starting`` applies to this output only.
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
        """Whether records are processed one by one."""
        return self.trigger == REAL_TIME


@dataclass(frozen=True, slots=True)
class DatabaseSite:
    """The connection to a database; ``properties`` are those of its JDBC driver."""

    url: str
    properties: dict[str, str]
    password_file: str | None


# Memory of an executor or a driver without a declared size.
DEFAULT_MEMORY = "1g"


@dataclass(frozen=True, slots=True)
class Resources:
    """Cluster resources of a pipeline; memory as for the JVM, such as ``1g``."""

    cores: int
    executor_memory: str
    driver_memory: str


@dataclass(frozen=True, slots=True)
class Site:
    """Where a pipeline runs: values that the deployment adds to the declaration.

    ``kafka_options`` have normalised names; see ``option_names``.
    """

    master: str = "local[2]"
    bootstrap: tuple[str, ...] = ()
    kafka_options: dict[str, str] = field(default_factory=dict)
    spark_options: dict[str, str] = field(default_factory=dict)
    checkpoint_root: str = ""
    archive_root: str = ""
    status: str | None = None
    status_credentials_file: str | None = None
    driver_host: str | None = None
    driver_port: int | None = None
    block_manager_port: int | None = None
    ui_port: int | None = None
    event_log_dir: str | None = None
    shuffle_partitions: int | None = None
    databases: dict[str, DatabaseSite] = field(default_factory=dict)
    # For sources that name no registry.
    registry: RegistrySite | None = None
    marks_topic: str | None = None
    # Functions that SQL may use in addition to the allowlist of the driver.
    sql_functions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Declaration:
    """A pipeline: every record of the source goes to the outputs, or to ``invalid``.

    ``invalid`` is None if no record can be invalid: unparsed records without rules.
    """

    name: str
    source: Source
    rules: dict[str, str]
    outputs: tuple[Output, ...]
    invalid: str | None
    trigger: str
    resources: Resources
    site: Site
