"""Dashboard of Spark and its pipelines."""

from ..model import BYTES, COUNT, RATE, RATIO, SECONDS, Board, graph, stat

PIPELINES = Board(
    "pipelines",
    "Kafka / Pipelines",
    "State and progress of Spark and its pipelines.",
    (
        (
            "State",
            (
                stat(
                    "Running",
                    "Pipelines whose queries all run.",
                    COUNT,
                    "sum(kafka_metal_pipeline_running{{C}})",
                ),
                stat(
                    "Not running",
                    "Pipelines with a stopped query.",
                    COUNT,
                    "count(kafka_metal_pipeline_running{{C}} == 0) or vector(0)",
                    bad=1,
                ),
                stat(
                    "Unreachable",
                    "Pipelines whose driver does not respond.",
                    COUNT,
                    "count(kafka_metal_pipeline_reachable{{C}} == 0) or vector(0)",
                    bad=1,
                ),
                stat(
                    "Failed starts",
                    "Consecutive failed starts of the drivers.",
                    COUNT,
                    "sum(kafka_metal_pipeline_failed_starts{{C}}) or vector(0)",
                    bad=1,
                ),
                stat(
                    "Missing archive files",
                    "Files that pipelines have written and that are missing or changed.",
                    COUNT,
                    "sum(kafka_metal_pipeline_archive_missing_files{{C}}) or vector(0)",
                    bad=1,
                ),
                stat(
                    "Archive files",
                    "Files of archives that were compared with their lists.",
                    COUNT,
                    "sum(kafka_metal_pipeline_archive_files{{C}}) or vector(0)",
                ),
            ),
        ),
        (
            "Records and failures",
            (
                graph(
                    "Validated records",
                    "Records that a pipeline has read and validated, a second.",
                    RATE,
                    ("rate(kafka_metal_pipeline_records_total{{C}}[5m])", "{{pipeline}}"),
                    width=12,
                    empty="Empty if no pipeline has a topic of invalid records.",
                ),
                graph(
                    "Invalid records",
                    "Share of a pipeline's records in five minutes.",
                    RATIO,
                    ("kafka_metal:pipeline_invalid:ratio_5m{{C}}", "{{pipeline}}"),
                    width=12,
                    empty="Empty while pipelines read no records.",
                ),
                graph(
                    "Restarts of outputs",
                    "Restarts of queries in an hour.",
                    COUNT,
                    (
                        "increase(kafka_metal_pipeline_output_restarts_total{{C}}[1h])",
                        "{{pipeline}} {{output}}",
                    ),
                    width=12,
                ),
                graph(
                    "Time since the last failure",
                    "Only outputs that have failed since their driver started.",
                    SECONDS,
                    (
                        "time() - kafka_metal_pipeline_output_failed_time_seconds{{C}}",
                        "{{pipeline}} {{output}}",
                    ),
                    width=12,
                    empty="Empty if no output has failed.",
                ),
            ),
        ),
        (
            "Spark",
            (
                stat(
                    "Leading masters",
                    "Must be one. The others are standbys.",
                    COUNT,
                    "sum(kafka_metal_spark_master_leads{{C}})",
                ),
                stat(
                    "Missing workers",
                    "Declared workers that are not registered with the leading master.",
                    COUNT,
                    "sum(kafka_metal_spark_workers_declared{{C}})"
                    " - sum(kafka_metal_spark_workers{{C}})",
                    bad=1,
                ),
                stat(
                    "Waiting",
                    "Applications that wait for cores.",
                    COUNT,
                    'sum(kafka_metal_spark_applications{state="WAITING", {C}})',
                    bad=1,
                ),
                graph(
                    "Cores",
                    "Cores of the workers, and cores allocated to applications.",
                    COUNT,
                    ("kafka_metal_spark_cores{{C}}", "total"),
                    ("kafka_metal_spark_cores_used{{C}}", "allocated"),
                    width=12,
                ),
                graph(
                    "Memory of executors",
                    "Memory of the workers, and memory allocated to executors.",
                    BYTES,
                    ("kafka_metal_spark_memory_bytes{{C}}", "total"),
                    ("kafka_metal_spark_memory_used_bytes{{C}}", "allocated"),
                    width=12,
                ),
            ),
        ),
        (
            "Masters, workers, history server",
            (
                graph(
                    "CPU",
                    "Cores used by each daemon, without executors.",
                    COUNT,
                    ('rate(process_cpu_seconds_total{job="spark", {C}}[5m])', "{{instance}}"),
                ),
                graph(
                    "Heap",
                    "Used heap of the JVM.",
                    BYTES,
                    ('jvm_memory_used_bytes{job="spark", area="heap", {C}}', "{{instance}}"),
                ),
                graph(
                    "Garbage collection",
                    "Share of time in garbage collection pauses.",
                    RATIO,
                    (
                        "sum by (instance)"
                        ' (rate(jvm_gc_collection_seconds_sum{job="spark", {C}}[5m]))',
                        "{{instance}}",
                    ),
                ),
            ),
        ),
        (
            "Progress",
            (
                graph(
                    "Lag",
                    "Records of the source that an output has not processed.",
                    COUNT,
                    ("kafka_metal_pipeline_lag_records{{C}}", "{{pipeline}} {{output}}"),
                    width=12,
                ),
                graph(
                    "Time since the last batch",
                    "A pipeline without new records processes no batches.",
                    SECONDS,
                    (
                        "time() - kafka_metal_pipeline_updated_time_seconds{{C}}",
                        "{{pipeline}} {{output}}",
                    ),
                    width=12,
                ),
                graph(
                    "Batch duration",
                    "If it exceeds the trigger interval, the lag grows.",
                    SECONDS,
                    ("kafka_metal_pipeline_batch_seconds{{C}}", "{{pipeline}} {{output}}"),
                    width=12,
                ),
                graph(
                    "Throughput",
                    "Records a second of the last batch.",
                    RATE,
                    ("kafka_metal_pipeline_records_per_second{{C}}", "{{pipeline}} {{output}}"),
                    width=12,
                ),
            ),
        ),
    ),
)
