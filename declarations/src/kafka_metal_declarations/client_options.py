"""Client options that a declaration may set: performance and sizes, not security or code.

Options set by the site are not checked here. Spark's Kafka source ignores the case of option names,
so these checks do too.
"""

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from kafka_metal_declarations.option_names import normalise_name
from kafka_metal_declarations.printable_values import printable_value

# A client's identity and its brokers.
IDENTITY = re.compile(r"(security\.|sasl\.|ssl\.|config\.providers).*|bootstrap\.servers", re.I)
# Options that name code loaded by a client.
CODE = re.compile(
    r".*class|.*classes|.*callback.*|.*serializer|metric\.reporters|plugin\.library\.paths"
    r"|partition\.assignment\.strategy",
    re.I,
)
# Start of a reference that a client replaces by text from a file or an environment variable.
REFERENCE = "${"

_SPARK = """
    spark.default.parallelism spark.broadcast.* spark.cleaner.* spark.excludeOnFailure.*
    spark.driver.maxResultSize spark.driver.memoryOverhead* spark.executor.cores
    spark.executor.heartbeatInterval spark.executor.memoryOverhead*
    spark.kafka.consumer.cache.* spark.kafka.producer.cache.*
    spark.kryoserializer.buffer* spark.locality.* spark.memory.*
    spark.network.timeout spark.rdd.compress spark.reducer.* spark.rpc.askTimeout
    spark.rpc.message.maxSize spark.scheduler.listenerbus.* spark.scheduler.mode spark.serializer
    spark.shuffle.compress spark.shuffle.file.buffer spark.shuffle.io.* spark.shuffle.spill.*
    spark.speculation* spark.stage.maxConsecutiveAttempts spark.task.* spark.ui.retained*
    spark.sql.adaptive.* spark.sql.autoBroadcastJoinThreshold spark.sql.broadcastTimeout
    spark.sql.codegen.* spark.sql.files.maxPartitionBytes spark.sql.files.maxRecordsPerFile
    spark.sql.join.preferSortMergeJoin spark.sql.maxPlanStringLength
    spark.sql.shuffle.partitions spark.sql.streaming.metricsEnabled
    spark.sql.streaming.minBatchesToRetain spark.sql.streaming.noDataMicroBatches.enabled
    spark.sql.streaming.pollingDelay spark.sql.streaming.stateStore.maintenanceInterval
    spark.sql.streaming.stateStore.minDeltasForSnapshot
    spark.sql.streaming.stateStore.providerClass spark.sql.streaming.stateStore.rocksdb.*
    spark.sql.streaming.stopTimeout spark.sql.ui.retainedExecutions
"""
ALLOWED_SPARK = tuple(_SPARK.split())
# Spark's own classes are allowed as values; others would run unreviewed code.
SPARK_CLASS = re.compile(r"org\.apache\.spark\.[\w.$]+")
SPARK_CODE = re.compile(r".*class|.*classes|spark\.serializer", re.I)

OWN_IDENTITY = (
    "nothing: the platform sets each pipeline's credentials and brokers, "
    "see docs/operate/guides/security.md"
)
NO_CODE = "nothing: it names code that a client loads"
NO_REFERENCE = f"a value without {REFERENCE}, which a client replaces by text of a file"
OF_SPARK = "a class of Spark itself, such as org.apache.spark.serializer.KryoSerializer"
OTHER_SPARK = (
    "settings of memory, tasks and shuffles, such as spark.sql.shuffle.partitions; for all see "
    "'Options of clients' in docs/operate/guides/pipelines.md. Others: pipeline_spark_options of "
    "the site"
)


def refused_options(options: Mapping[str, Any], kind: str) -> Iterator[tuple[str, str, str]]:
    """Yield each option that a declaration may not set: name, printable value, what is allowed.

    ``kind`` is ``kafka_options`` or ``spark_options``.
    """
    allowed_instead = _of_kafka if kind == "kafka_options" else _of_spark
    for option, value in options.items():
        if allowed := allowed_instead(str(option), str(value)):
            yield str(option), printable_value(option, value), allowed


def _of_kafka(option: str, value: str) -> str | None:
    name = normalise_name(option)
    if IDENTITY.fullmatch(name):
        return OWN_IDENTITY
    if CODE.fullmatch(name):
        return NO_CODE
    return NO_REFERENCE if REFERENCE in value else None


def _of_spark(option: str, value: str) -> str | None:
    if not any(fnmatchcase(option, each) for each in ALLOWED_SPARK):
        return OTHER_SPARK
    if SPARK_CODE.fullmatch(option) and not SPARK_CLASS.fullmatch(value):
        return OF_SPARK
    return NO_REFERENCE if REFERENCE in value else None
