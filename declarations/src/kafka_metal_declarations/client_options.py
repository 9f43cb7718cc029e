"""Which options of clients a declaration may give: those of speed and size, none of trust.

The site's own options are not asked about here. Kafka's source of Spark reads names of options in
small letters, so letters of either kind are the same here.
"""

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

# Who a pipeline is to the brokers, and which ones they are.
IDENTITY = re.compile(r"(security\.|sasl\.|ssl\.|config\.providers).*|bootstrap\.servers", re.I)
# Options that name code which a client loads.
CODE = re.compile(
    r".*class|.*classes|.*callback.*|.*serializer|metric\.reporters|plugin\.library\.paths"
    r"|partition\.assignment\.strategy",
    re.I,
)
# What a client replaces by text of a file or of its environment.
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
# Classes of Spark itself have a value; any other would be code that nobody has read.
SPARK_CLASS = re.compile(r"org\.apache\.spark\.[\w.$]+")
SPARK_CODE = re.compile(r".*class|.*classes|spark\.serializer", re.I)

OWN_WAY_IN = (
    "nothing: the platform gives each pipeline its own way in, see docs/operate/guides/security.md"
)
NO_CODE = "nothing: it names code that a client loads"
NO_REFERENCE = f"a value without {REFERENCE}, which a client replaces by text of a file"
OF_SPARK = "a class of Spark itself, as org.apache.spark.serializer.KryoSerializer"
OTHER_SPARK = (
    "settings of memory, tasks and shuffles, as spark.sql.shuffle.partitions; "
    "'Options of clients' in docs/operate/guides/pipelines.md has all. Others: pipeline_spark_options of the site"
)


def refused(options: Mapping[str, Any], kind: str) -> Iterator[tuple[str, str, str]]:
    """Option, value and what is allowed, of each that a declaration may not give.

    ``kind`` is ``kafka_options`` or ``spark_options``.
    """
    judge = _of_kafka if kind == "kafka_options" else _of_spark
    for option, value in options.items():
        if allowed := judge(str(option), str(value)):
            yield str(option), str(value), allowed


def plain(option: str) -> str:
    """The name that a client compares: without the prefix of Spark's source, in small letters."""
    return str(option).lower().removeprefix("kafka.")


def _of_kafka(option: str, value: str) -> str | None:
    name = plain(option)
    if IDENTITY.fullmatch(name):
        return OWN_WAY_IN
    if CODE.fullmatch(name):
        return NO_CODE
    return NO_REFERENCE if REFERENCE in value else None


def _of_spark(option: str, value: str) -> str | None:
    if not any(fnmatchcase(option, each) for each in ALLOWED_SPARK):
        return OTHER_SPARK
    if SPARK_CODE.fullmatch(option) and not SPARK_CLASS.fullmatch(value):
        return OF_SPARK
    return NO_REFERENCE if REFERENCE in value else None
