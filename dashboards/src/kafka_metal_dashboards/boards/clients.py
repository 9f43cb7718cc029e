"""Dashboards of consumers and producers."""

from ..model import COUNT, NO_GROUPS, RATE, RATIO, SECONDS, Board, graph

CONSUMERS = Board(
    "consumers",
    "Kafka / Consumers",
    "Lag of consumer groups, in time and in records.",
    (
        (
            "Lag",
            (
                graph(
                    "Lag in time",
                    "Age of the oldest unread record. The ten largest lags.",
                    SECONDS,
                    ("topk(10, kafka_metal:group_lag:seconds{{C}})", "{{group}} {{topic}}"),
                    width=12,
                    empty=NO_GROUPS,
                ),
                graph(
                    "Lag in records",
                    "Records after the committed offset of a group. The ten largest lags.",
                    COUNT,
                    (
                        "topk(10, sum by (group, topic) (kafka_metal_group_lag_records{{C}}))",
                        "{{group}} {{topic}}",
                    ),
                    width=12,
                    empty=NO_GROUPS,
                ),
                graph(
                    "Throughput",
                    "Records committed by each group.",
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
                    "Members of each group. A change means that the group rebalances.",
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
                    "End-to-end latency, p50 and p99",
                    "Time from passing a probe record to the producer to its receipt.",
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
                    "Time since the last received record",
                    "Of the probe, by partition.",
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
    "Availability and latency of writes, measured by the probe on every broker.",
    (
        (
            "Writes",
            (
                graph(
                    "Time since the last acknowledgement",
                    "By partition. Below two seconds during a planned restart.",
                    SECONDS,
                    (
                        "time() - kafka_metal_probe_acknowledged_time_seconds{{C}}",
                        "{{partition}}",
                    ),
                    width=12,
                ),
                graph(
                    "Acknowledgement latency, p50 and p99",
                    "Time from passing a record to the producer to its acknowledgement.",
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
                    "Slow writes",
                    "Share of writes that took over a second. The objective is at most 0.001.",
                    RATIO,
                    ("kafka_metal:slow_writes:ratio_5m{{C}}", "5 minutes"),
                    ("kafka_metal:slow_writes:ratio_1h{{C}}", "1 hour"),
                    width=12,
                ),
                graph(
                    "Sent and failed",
                    "Records of the probe.",
                    RATE,
                    ("sum(rate(kafka_metal_probe_sent_total{{C}}[5m]))", "sent"),
                    ("sum(rate(kafka_metal_probe_failed_total{{C}}[5m]))", "failed"),
                    width=12,
                ),
            ),
        ),
        (
            "Listeners",
            (
                graph(
                    "Failed authentications",
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
                    "Time until the certificate of each listener expires.",
                    SECONDS,
                    (
                        "kafka_metal_certificate_expiry_time_seconds{{C}} - time()",
                        "{{endpoint}}",
                    ),
                    width=12,
                    empty="Empty if no listener uses TLS.",
                ),
            ),
        ),
    ),
)
