"""The Spark session of a driver: a client of the cluster that keeps its own address and ports."""

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

# The same answer on every machine, and no query that ends because of one record.
BEHAVIOUR = {
    "spark.sql.session.timeZone": "UTC",
    # An overflow or a division by zero in a statement gives NULL. An error would come again with
    # the same record after every restart.
    "spark.sql.ansi.enabled": "false",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.catalogImplementation": "in-memory",
    # `${env:NAME}` or `${spark.some.key}` in a statement stays text: it would give away passwords.
    "spark.sql.variable.substitute": "false",
    f"spark.sql.catalog.{formats.JSON}": "metal.kafka.spark.JsonFunctions",
    # Of images/spark/disk: the local file system, without a process for each file.
    "spark.hadoop.fs.file.impl": LOCAL_DISK,
    "spark.hadoop.fs.AbstractFileSystem.file.impl": f"{LOCAL_DISK}$Context",
}
# What Spark generates for a wide event can be one large method, and the JVM leaves those to its
# interpreter: without that limit records are read ten times as fast.
# Every record leaves garbage, and nobody waits for the pauses of a small heap: the collector that
# costs least serves best, a seventh of all processor time less. The JVM gives it a thread for each
# core, and they spin while they wait for each other: with half as many it is another seventh.
JAVA_OPTIONS = "-XX:-DontCompileHugeMethods -XX:+UseParallelGC -XX:ParallelGCThreads={threads}"
JAVA_OPTION_KEYS = ("spark.driver.extraJavaOptions", "spark.executor.extraJavaOptions")

# Several small queries that share few cores for months.
STREAMING = {
    "spark.scheduler.mode": "FAIR",
    # A core that is free at once serves better than the one that has the topic's reader open.
    "spark.locality.wait": "100ms",
    # Streams cannot use it, and warn of it at every start.
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.streaming.stopTimeout": "30s",
    "spark.ui.showConsoleProgress": "false",
    "spark.ui.retainedJobs": "200",
    "spark.ui.retainedStages": "200",
    "spark.ui.retainedTasks": "5000",
    "spark.sql.ui.retainedExecutions": "50",
}


def settings(declaration: Declaration) -> dict[str, str]:
    """Every Spark setting of a driver; the site's ``spark_options`` win."""
    site, resources = declaration.site, declaration.resources
    partitions = site.shuffle_partitions or max(2, resources.cores)
    java = JAVA_OPTIONS.format(threads=max(1, resources.cores // 2))
    return {
        **BEHAVIOUR,
        **STREAMING,
        # A shuffle of few rows each second: one task more costs more than it saves.
        "spark.sql.shuffle.partitions": str(partitions),
        # Made at start even when nothing is stored in it; the working directory is read-only.
        "spark.sql.warehouse.dir": f"file:{tempfile.gettempdir()}/spark-warehouse",
        "spark.cores.max": str(resources.cores),
        "spark.executor.memory": resources.executor_memory,
        "spark.driver.memory": resources.driver_memory,
        **_network(site),
        **_event_log(site),
        **site.spark_options,
        **{key: f"{java} {site.spark_options.get(key, '')}".strip() for key in JAVA_OPTION_KEYS},
    }


def connect(declaration: Declaration) -> SparkSession:
    """A session that may run the declaration's SQL. Raises SqlError when it may not."""
    spark = start(declaration)
    try:
        sql_check.require(spark, declaration)
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
    # Of images/spark/secrets: executors ask for what proves to Kafka who the pipeline is.
    jvm.metal.kafka.spark.DriverSecrets.serve()
    return spark


def _make_event_log_dir(directory: str | None, master: str, wanted: Mapping[str, str]) -> None:
    """Spark makes its log, and not the directory it goes to; without one it does not start."""
    if directory is None:
        return
    if directory.startswith("/"):
        Path(directory).mkdir(parents=True, exist_ok=True)
        return
    # A directory of another file system needs Hadoop's client, which runs before the session does.
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
        # Bound everywhere, as in a container with an address of its own, and found by name.
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
        # A stream never ends: its log goes on in a new file, each of which can be removed.
        "spark.eventLog.rolling.enabled": "true",
        "spark.eventLog.compress": "true",
        # Each batch of each query writes its plan: whole, that would be gigabytes a day.
        "spark.sql.maxPlanStringLength": "2048",
    }
