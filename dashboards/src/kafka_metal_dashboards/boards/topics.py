"""Dashboard of topics."""

from ..model import BYTE_RATE, COUNT, RATE, Board, graph, stat

NOTE = "The ten busiest topics, including internal topics."

TOPICS = Board(
    "topics",
    "Kafka / Topics",
    "Number of topics and partitions, and load by topic.",
    (
        (
            "Numbers",
            (
                stat(
                    "Topics",
                    "Topics of the cluster.",
                    COUNT,
                    "max(kafka_controller_topics{{C}})",
                ),
                stat(
                    "Partitions",
                    "Partitions of the cluster, without replicas.",
                    COUNT,
                    "max(kafka_controller_partitions{{C}})",
                ),
                stat(
                    "Not led by the preferred replica",
                    "After a restart leaders move back automatically within five minutes.",
                    COUNT,
                    "max(kafka_controller_not_preferred_leaders{{C}})",
                ),
                stat(
                    "Reassigning",
                    "Partitions with a reassignment in progress.",
                    COUNT,
                    "sum(kafka_server_reassigning_partitions{{C}})",
                ),
            ),
        ),
        (
            "Load",
            (
                graph(
                    "Written",
                    f"Bytes produced by clients. {NOTE}",
                    BYTE_RATE,
                    (
                        "topk(10, sum by (topic)"
                        " (rate(kafka_topic_received_bytes_total{{C}}[5m])))",
                        "{{topic}}",
                    ),
                    width=12,
                ),
                graph(
                    "Read",
                    f"Bytes consumed by clients. {NOTE}",
                    BYTE_RATE,
                    (
                        "topk(10, sum by (topic) (rate(kafka_topic_sent_bytes_total{{C}}[5m])))",
                        "{{topic}}",
                    ),
                    width=12,
                ),
                graph(
                    "Records",
                    f"Records produced by clients. {NOTE}",
                    RATE,
                    (
                        "topk(10, sum by (topic) (rate(kafka_topic_records_total{{C}}[5m])))",
                        "{{topic}}",
                    ),
                    width=12,
                ),
                graph(
                    "Rejected",
                    "Bytes of rejected records (too large or invalid), by broker.",
                    BYTE_RATE,
                    ("rate(kafka_server_rejected_bytes_total{{C}}[5m])", "{{instance}}"),
                    width=12,
                ),
            ),
        ),
    ),
)
