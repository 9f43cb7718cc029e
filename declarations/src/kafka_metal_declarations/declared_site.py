"""The keys of a declaration about where it runs; added by a role, or by hand for local runs."""

from dataclasses import asdict

from kafka_metal_declarations.keys import Section
from kafka_metal_declarations.model import (
    TRANSACTIONAL,
    DatabaseSite,
    Declaration,
    RegistrySite,
    Site,
)
from kafka_metal_declarations.option_names import (
    ALLOWED_SPELLING,
    normalise_name,
    repeated_options,
)
from kafka_metal_declarations.value_patterns import (
    ALLOWED_PORT,
    ALLOWED_TOPIC,
    ALLOWED_URL,
    HIGHEST_PORT,
    PORT,
    TOPIC,
    URL,
)

SITE_KEYS = (
    "master",
    "bootstrap",
    "kafka_options",
    "spark_options",
    "checkpoint_root",
    "archive_root",
    "status",
    "status_credentials_file",
    "driver_host",
    "driver_port",
    "block_manager_port",
    "ui_port",
    "event_log_dir",
    "shuffle_partitions",
    "databases",
    "registry",
    "marks_topic",
    "sql_functions",
)
MASTER = rf"local(\[([1-9][0-9]{{0,3}}|\*)\])?|spark://[^\s,/]+:{PORT}(,[^\s,/]+:{PORT})*"
ALLOWED_MASTER = f"spark://HOST:PORT, more after commas, {ALLOWED_PORT}, or local[N], N up to 9999"
# IPv6 addresses are in square brackets.
ENDPOINT = rf"([^\s:\[\]]+|\[[0-9a-fA-F:]+\]):{PORT}"
ALLOWED_ENDPOINT = f"HOST:PORT, {ALLOWED_PORT}"
ROOT = r"/\S*|[a-z][a-z0-9]*:/\S*"
ALLOWED_ROOT = "an absolute path, or a URI as hdfs://HOST/PATH, that the workers can access too"
JDBC = r"jdbc:[a-z0-9]+:\S+"
ALLOWED_JDBC = "a URL as jdbc:postgresql://HOST:5432/DATABASE"
FUNCTION = r"[A-Za-z_]\w*(\.[A-Za-z_]\w*){0,2}"
ALLOWED_FUNCTION = "a function's name, as reflect, or with its catalog as catalog.schema.function"


def read_site(top: Section) -> Site:
    """Return the site's values; each key is optional until the pipeline runs."""
    return Site(
        master=top.text("master", ALLOWED_MASTER, MASTER) or "local[2]",
        bootstrap=top.texts("bootstrap", ALLOWED_ENDPOINT, ENDPOINT),
        kafka_options=_read_kafka_options(top),
        spark_options=top.options("spark_options"),
        checkpoint_root=top.text("checkpoint_root", ALLOWED_ROOT, ROOT) or "",
        archive_root=top.text("archive_root", ALLOWED_ROOT, ROOT) or "",
        status=top.text("status", ALLOWED_ENDPOINT, ENDPOINT),
        status_credentials_file=top.text("status_credentials_file", "an absolute path", r"/\S+"),
        driver_host=top.text("driver_host", "a name or an address", r"\S+"),
        driver_port=top.whole("driver_port", high=HIGHEST_PORT),
        block_manager_port=top.whole("block_manager_port", high=HIGHEST_PORT),
        ui_port=top.whole("ui_port", high=HIGHEST_PORT),
        event_log_dir=top.text("event_log_dir", ALLOWED_ROOT, ROOT),
        shuffle_partitions=top.whole("shuffle_partitions", high=10_000),
        databases=_read_databases(top.section("databases")),
        registry=_read_registry(top.section("registry")) if "registry" in top.values else None,
        marks_topic=top.text("marks_topic", ALLOWED_TOPIC, TOPIC),
        sql_functions=top.texts("sql_functions", ALLOWED_FUNCTION, FUNCTION),
    )


def _read_kafka_options(top: Section) -> dict[str, str]:
    key = "kafka_options"
    options = top.options(key)
    for option, earlier in repeated_options(options):
        top.wrong(f"{key}.{option}", f"another spelling of {key}.{earlier}", ALLOWED_SPELLING)
    return {normalise_name(option): value for option, value in options.items()}


def _read_databases(databases: Section) -> dict[str, DatabaseSite]:
    read = {}
    for name in databases.names():
        database = databases.section(name, required=True)
        database.only(("url", "properties", "password_file"))
        properties = database.options("properties")
        if "password" in properties:
            database.wrong("properties.password", "a password", "password_file, a file's path")
        read[name] = DatabaseSite(
            url=database.needed("url", ALLOWED_JDBC, JDBC),
            properties=properties,
            password_file=database.text("password_file", "an absolute path", r"/\S+"),
        )
    return read


def _read_registry(registry: Section) -> RegistrySite:
    registry.only(("urls", "ca_file", "credentials_file"))
    urls = registry.texts("urls", ALLOWED_URL, URL)
    if not urls and not registry.values.get("urls"):
        registry.wrong("urls", "none", "at least one address")
    return RegistrySite(
        urls=tuple(url.rstrip("/") for url in urls),
        ca_file=registry.text("ca_file", "an absolute path", r"/\S+"),
        credentials_file=registry.text("credentials_file", "an absolute path", r"/\S+"),
    )


def missing_to_run(declaration: Declaration) -> list[str]:
    """Return the missing keys without which a pipeline cannot run."""
    site, outputs = declaration.site, declaration.outputs
    needed: dict[str, object] = {
        "bootstrap": site.bootstrap,
        "checkpoint_root": site.checkpoint_root,
    }
    if declaration.source.path or any(output.path for output in outputs):
        needed["archive_root"] = site.archive_root
    if any(output.delivery == TRANSACTIONAL for output in outputs):
        needed["marks_topic"] = site.marks_topic
    if declaration.source.registry:
        needed["registry"] = declaration.source.registry.site
    for database in sorted({output.database for output in outputs if output.database}):
        needed[f"databases.{database}"] = site.databases.get(database)
    return [key for key, value in needed.items() if not value]


def session_values(declaration: Declaration) -> dict[str, object]:
    """Return what the session of a driver is started with, as JSON has it.

    A change of it needs a new driver. A running driver applies all other changes.
    """
    return {"resources": asdict(declaration.resources), "site": asdict(declaration.site)}
