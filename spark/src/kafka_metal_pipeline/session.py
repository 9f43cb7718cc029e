"""The Spark session of a driver, which runs in client mode with its own address and ports."""

import socket
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kafka_metal_declarations.model import Declaration, Site
from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from kafka_metal_pipeline import callbacks, formats, sql_check

LOCAL_DISK = "metal.kafka.spark.LocalDisk"

ANY_ADDRESS = ("0.0.0.0", "::")

# Equal results on every host, and no query that fails because of one record.
BEHAVIOUR = {
    "spark.sql.session.timeZone": "UTC",
    # An overflow or a division by zero in a statement gives NULL. An error would recur with the
    # same record after every restart.
    "spark.sql.ansi.enabled": "false",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.catalogImplementation": "in-memory",
    # References such as `${env:NAME}` in statements are not resolved: they could expose passwords.
    "spark.sql.variable.substitute": "false",
    f"spark.sql.catalog.{formats.JSON}": "metal.kafka.spark.JsonFunctions",
    # From images/spark/disk: a local file system that starts no process per file.
    "spark.hadoop.fs.file.impl": LOCAL_DISK,
    "spark.hadoop.fs.AbstractFileSystem.file.impl": f"{LOCAL_DISK}$Context",
}
# DontCompileHugeMethods: Spark may generate one large method for a wide event, which the JVM would
# otherwise interpret; compiled, records are read ten times as fast.
# ParallelGC: uses a seventh less CPU in total; its pauses are short with a small heap. Its default
# of a thread per core wastes CPU on spinning; half as many threads save another seventh.
JAVA_OPTIONS = "-XX:-DontCompileHugeMethods -XX:+UseParallelGC -XX:ParallelGCThreads={threads}"
# From images/spark/class-archive: loaded classes of Spark. A JVM with another class path or version
# ignores them silently.
CLASS_ARCHIVE = "-XX:SharedArchiveFile=/opt/spark/classes.jsa -Xlog:cds*=off"
CLASS_PATH = "/opt/spark/home/kafka-metal-classes.jar"
JAVA_OPTION_KEYS = ("spark.driver.extraJavaOptions", "spark.executor.extraJavaOptions")

# For several small queries that run on few cores for months.
STREAMING = {
    "spark.scheduler.mode": "FAIR",
    # Use any free core soon, rather than wait for the executor with an open Kafka consumer.
    "spark.locality.wait": "100ms",
    # Not supported for streams; enabled, it logs a warning at every start.
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.streaming.stopTimeout": "30s",
    "spark.ui.showConsoleProgress": "false",
    "spark.ui.retainedJobs": "200",
    "spark.ui.retainedStages": "200",
    "spark.ui.retainedTasks": "5000",
    "spark.sql.ui.retainedExecutions": "50",
}


def settings(declaration: Declaration) -> dict[str, str]:
    """Return all Spark settings of a driver; the site's ``spark_options`` take precedence."""
    site, resources = declaration.site, declaration.resources
    partitions = site.shuffle_partitions or max(2, resources.cores)
    java = f"{CLASS_ARCHIVE} {JAVA_OPTIONS.format(threads=max(1, resources.cores // 2))}"
    return {
        **BEHAVIOUR,
        **STREAMING,
        # Shuffles have few rows per second: further tasks cost more than they save.
        "spark.sql.shuffle.partitions": str(partitions),
        # Created at start even if unused; the working directory is read-only.
        "spark.sql.warehouse.dir": f"file:{tempfile.gettempdir()}/spark-warehouse",
        "spark.cores.max": str(resources.cores),
        "spark.executor.memory": resources.executor_memory,
        "spark.driver.memory": resources.driver_memory,
        "spark.driver.extraClassPath": CLASS_PATH,
        "spark.executor.extraClassPath": CLASS_PATH,
        **_network(site),
        **_event_log(site),
        **site.spark_options,
        **{key: f"{java} {site.spark_options.get(key, '')}".strip() for key in JAVA_OPTION_KEYS},
    }


def connect(declaration: Declaration) -> SparkSession:
    """Return a session after checking the declaration's SQL; SqlError if it is not allowed."""
    spark = start(declaration)
    try:
        sql_check.require_allowed(spark, declaration)
    except sql_check.SqlError:
        spark.stop()
        raise
    return spark


def start(declaration: Declaration) -> SparkSession:
    """Start the driver's JVM and register with the master."""
    wanted = settings(declaration)
    _make_event_log_dir(declaration.site.event_log_dir, declaration.site.master, wanted)
    builder = SparkSession.builder.master(declaration.site.master)
    builder = builder.appName(f"pipeline-{declaration.name}")
    for key, value in wanted.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    callbacks.protect(spark)
    jvm: Any = SparkContext._jvm
    # From images/spark/secrets: executors get the pipeline's Kafka credentials from the driver.
    jvm.metal.kafka.spark.DriverSecrets.serve()
    return spark


def _make_event_log_dir(directory: str | None, master: str, wanted: Mapping[str, str]) -> None:
    """Create the event log's directory, which Spark requires but does not create."""
    if directory is None:
        return
    if directory.startswith("/"):
        Path(directory).mkdir(parents=True, exist_ok=True)
        return
    # Other file systems need Hadoop's client, so the JVM has to start before the session.
    start: Any = SparkContext._ensure_initialized
    start(conf=SparkConf(loadDefaults=False).setMaster(master).setAll(list(wanted.items())))
    jvm: Any = SparkContext._jvm
    java = SparkConf(_jvm=jvm).setAll(list(wanted.items()))._jconf
    path = jvm.org.apache.hadoop.fs.Path(directory)
    hadoop = jvm.org.apache.spark.deploy.SparkHadoopUtil.get().newConfiguration(java)
    path.getFileSystem(hadoop).mkdirs(path)


def _network(site: Site) -> dict[str, str]:
    found = {"spark.ui.enabled": str(site.ui_port is not None).lower()}
    if site.driver_host in ANY_ADDRESS:
        # Bound to all addresses, as in a container with its own; reached by host name.
        found["spark.driver.bindAddress"] = str(site.driver_host)
        found["spark.driver.host"] = socket.gethostname()
    elif site.driver_host:
        found["spark.driver.bindAddress"] = site.driver_host
        found["spark.driver.host"] = site.driver_host
    ports = {
        "spark.driver.port": site.driver_port,
        "spark.driver.blockManager.port": site.block_manager_port,
        "spark.ui.port": site.ui_port,
    }
    return found | {key: str(port) for key, port in ports.items() if port is not None}


def _event_log(site: Site) -> dict[str, str]:
    if site.event_log_dir is None:
        return {}
    directory = site.event_log_dir
    return {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file:{directory}" if directory.startswith("/") else directory,
        # Logs of streams are rolled, so that old files can be removed.
        "spark.eventLog.rolling.enabled": "true",
        "spark.eventLog.compress": "true",
        # Each batch logs its plan: unlimited, that would be gigabytes a day.
        "spark.sql.maxPlanStringLength": "2048",
    }
