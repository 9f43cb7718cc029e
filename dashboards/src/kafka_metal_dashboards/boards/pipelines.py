"""Spark and the pipelines on it."""

from ..model import BYTES, COUNT, RATE, RATIO, SECONDS, Board, graph, stat

PIPELINES = Board(
    "pipelines",
    "Kafka / Pipelines",
    "What the pipelines on Spark make of the records.",
    (
        (
            "State",
            (
                stat(
                    "Running",
                    "Pipelines of which every query runs.",
                    COUNT,
                    "sum(kafka_metal_pipeline_running{{C}})",
                ),
                stat(
                    "Not running",
                    "Pipelines of which a query ended.",
                    COUNT,
                    "count(kafka_metal_pipeline_running{{C}} == 0) or vector(0)",
                    bad=1,
                ),
                stat(
                    "Not reachable",
                    "Drivers that do not answer.",
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
                    "One leads; the others stand by.",
                    COUNT,
                    "sum(kafka_metal_spark_master_leads{{C}})",
                ),
                stat(
                    "Workers missing",
                    "Declared, and not registered with the leading master.",
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
                    "Cores of the workers: offered, and held by applications.",
                    COUNT,
                    ("kafka_metal_spark_cores{{C}}", "offered"),
                    ("kafka_metal_spark_cores_used{{C}}", "held"),
                    width=12,
                ),
                graph(
                    "Memory of executors",
                    "Memory of the workers: offered, and held by executors.",
                    BYTES,
                    ("kafka_metal_spark_memory_bytes{{C}}", "offered"),
                    ("kafka_metal_spark_memory_used_bytes{{C}}", "held"),
                    width=12,
                ),
            ),
        ),
        (
            "Masters, workers, history",
            (
                graph(
                    "Processors",
                    "Cores that each uses; executors are processes of their own.",
                    COUNT,
                    ('rate(process_cpu_seconds_total{job="spark", {C}}[5m])', "{{instance}}"),
                ),
                graph(
                    "Heap",
                    "Memory of the JVM in use.",
                    BYTES,
                    ('jvm_memory_used_bytes{job="spark", area="heap", {C}}', "{{instance}}"),
                ),
                graph(
                    "Pauses",
                    "Share of time in which the JVM collects garbage.",
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
                    "Behind",
                    "Records of the source that an output has not processed.",
                    COUNT,
                    ("kafka_metal_pipeline_lag_records{{C}}", "{{pipeline}} {{output}}"),
                    width=12,
                ),
                graph(
                    "Since the last batch",
                    "A pipeline without new records makes none.",
                    SECONDS,
                    (
                        "time() - kafka_metal_pipeline_updated_time_seconds{{C}}",
                        "{{pipeline}} {{output}}",
                    ),
                    width=12,
                ),
                graph(
                    "Time of a batch",
                    "Longer than the trigger means that it falls behind.",
                    SECONDS,
                    ("kafka_metal_pipeline_batch_seconds{{C}}", "{{pipeline}} {{output}}"),
                    width=12,
                ),
                graph(
                    "Pace",
                    "Records a second of the last batch.",
                    RATE,
                    ("kafka_metal_pipeline_records_per_second{{C}}", "{{pipeline}} {{output}}"),
                    width=12,
                ),
            ),
        ),
    ),
)
