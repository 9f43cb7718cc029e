"""Which topic brings the load."""

from ..model import BYTE_RATE, COUNT, RATE, Board, graph, stat

NOTE = "The ten busiest; internal topics are among them."

TOPICS = Board(
    "topics",
    "Kafka / Topics",
    "Which topic brings the load.",
    (
        (
            "How many",
            (
                stat(
                    "Topics",
                    "Topics of the cluster.",
                    COUNT,
                    "max(kafka_controller_topics{{C}})",
                ),
                stat(
                    "Partitions",
                    "Partitions of the cluster, each counted once.",
                    COUNT,
                    "max(kafka_controller_partitions{{C}})",
                ),
                stat(
                    "Not led by the preferred replica",
                    "After a restart leaders come back by themselves within five minutes.",
                    COUNT,
                    "max(kafka_controller_not_preferred_leaders{{C}})",
                ),
                stat(
                    "Being moved",
                    "Partitions that are being reassigned.",
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
                    f"Bytes that clients wrote. {NOTE}",
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
                    f"Bytes that clients read. {NOTE}",
                    BYTE_RATE,
                    (
                        "topk(10, sum by (topic) (rate(kafka_topic_sent_bytes_total{{C}}[5m])))",
                        "{{topic}}",
                    ),
                    width=12,
                ),
                graph(
                    "Records",
                    f"Records that clients wrote. {NOTE}",
                    RATE,
                    (
                        "topk(10, sum by (topic) (rate(kafka_topic_records_total{{C}}[5m])))",
                        "{{topic}}",
                    ),
                    width=12,
                ),
                graph(
                    "Rejected",
                    "Bytes of records that were too large or invalid, by broker.",
                    BYTE_RATE,
                    ("rate(kafka_server_rejected_bytes_total{{C}}[5m])", "{{instance}}"),
                    width=12,
                ),
            ),
        ),
    ),
)
