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
