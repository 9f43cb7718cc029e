"""What clients feel: consumers and producers."""

from ..model import COUNT, NO_GROUPS, RATE, RATIO, SECONDS, Board, graph

CONSUMERS = Board(
    "consumers",
    "Kafka / Consumers",
    "How far groups are behind, in time and in records.",
    (
        (
            "Behind",
            (
                graph(
                    "In time",
                    "For how long the oldest unread record waits; the ten longest.",
                    SECONDS,
                    ("topk(10, kafka_metal:group_lag:seconds{{C}})", "{{group}} {{topic}}"),
                    width=12,
                    empty=NO_GROUPS,
                ),
                graph(
                    "In records",
                    "Records that a group has not committed; the ten furthest.",
                    COUNT,
                    (
                        "topk(10, sum by (group, topic) (kafka_metal_group_lag_records{{C}}))",
                        "{{group}} {{topic}}",
                    ),
                    width=12,
                    empty=NO_GROUPS,
                ),
                graph(
                    "Pace",
                    "Records that each group commits.",
                    RATE,
                    (
                        "sum by (group, topic) (rate(kafka_metal_group_offset{{C}}[5m]))",
                        "{{group}} {{topic}}",
                    ),
                    width=12,
                    empty=NO_GROUPS,
                ),
                graph(
                    "Members",
                    "Members of each group; a number that changes is a group that rebalances.",
                    COUNT,
                    ("max by (group) (kafka_metal_group_members{{C}})", "{{group}}"),
                    width=12,
                    empty=NO_GROUPS,
                ),
            ),
        ),
        (
            "Reads",
            (
                graph(
                    "Read within, p50 and p99",
                    "From handing a record of the probe over to receiving it.",
                    SECONDS,
                    *(
                        (
                            f"histogram_quantile({quantile}, sum by (le)"
                            " (rate(kafka_metal_probe_end_to_end_seconds_bucket{{C}}[5m])))",
                            f"{quantile}",
                        )
                        for quantile in (0.5, 0.99)
                    ),
                    width=12,
                ),
                graph(
                    "Silence",
                    "Time since the probe last received a record, by partition.",
                    SECONDS,
                    (
                        "time() - kafka_metal_probe_received_time_seconds{{C}}",
                        "{{partition}}",
                    ),
                    width=12,
                ),
            ),
        ),
    ),
)

PRODUCERS = Board(
    "producers",
    "Kafka / Producers",
    "What a program that writes feels, measured by the probe on a partition of every broker.",
    (
        (
            "Writes",
            (
                graph(
                    "Silence",
                    "Time since the last acknowledgement; under two seconds in a planned restart.",
                    SECONDS,
                    (
                        "time() - kafka_metal_probe_acknowledged_time_seconds{{C}}",
                        "{{partition}}",
                    ),
                    width=12,
                ),
                graph(
                    "Acknowledged within, p50 and p99",
                    "From handing a record over to its acknowledgement.",
                    SECONDS,
                    *(
                        (
                            f"histogram_quantile({quantile}, sum by (le)"
                            " (rate(kafka_metal_probe_acknowledgement_seconds_bucket{{C}}[5m])))",
                            f"{quantile}",
                        )
                        for quantile in (0.5, 0.99)
                    ),
                    width=12,
                ),
                graph(
                    "Later than a second",
                    "Share of writes, over five minutes and an hour; 0.001 is what is promised.",
                    RATIO,
                    ("kafka_metal:slow_writes:ratio_5m{{C}}", "5 minutes"),
                    ("kafka_metal:slow_writes:ratio_1h{{C}}", "1 hour"),
                    width=12,
                ),
                graph(
                    "Sent and given up",
                    "Records of the probe.",
                    RATE,
                    ("sum(rate(kafka_metal_probe_sent_total{{C}}[5m]))", "sent"),
                    ("sum(rate(kafka_metal_probe_failed_total{{C}}[5m]))", "given up"),
                    width=12,
                ),
            ),
        ),
        (
            "Doors",
            (
                graph(
                    "Logins that fail",
                    "By broker and listener.",
                    RATE,
                    (
                        "sum by (instance, listener)"
                        " (rate(kafka_server_failed_authentications_total{{C}}[5m]))",
                        "{{instance}} {{listener}}",
                    ),
                    width=12,
                ),
                graph(
                    "Certificates",
                    "Time for which the certificate of each listener is still valid.",
                    SECONDS,
                    (
                        "kafka_metal_certificate_expiry_time_seconds{{C}} - time()",
                        "{{endpoint}}",
                    ),
                    width=12,
                    empty="Empty where no listener speaks TLS.",
                ),
            ),
        ),
    ),
)
