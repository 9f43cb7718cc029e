"""Dashboard with an overview of a cluster."""

from ..model import BYTE_RATE, COUNT, NO_GROUPS, NO_ROOT, RATE, RATIO, SECONDS, Board, graph, stat

OVERVIEW = Board(
    "overview",
    "Kafka / Overview",
    "Whether the cluster is healthy, and if not, which part is not.",
    (
        (
            "Availability",
            (
                stat(
                    "Firing pages",
                    "Alerts that call the person on duty.",
                    COUNT,
                    'count(ALERTS{alertstate="firing", severity="page", {C}}) or vector(0)',
                    bad=1,
                ),
                stat(
                    "Firing tickets",
                    "Alerts that can wait for working hours.",
                    COUNT,
                    'count(ALERTS{alertstate="firing", severity="ticket", {C}}) or vector(0)',
                    bad=1,
                ),
                stat(
                    "Successful writes",
                    "Share of the probe's records that were acknowledged, over five minutes.",
                    RATIO,
                    "1 - sum(rate(kafka_metal_probe_failed_total{{C}}[5m]))"
                    " / sum(rate(kafka_metal_probe_sent_total{{C}}[5m]))",
                    bad=0.999,
                    low=True,
                ),
                stat(
                    "Longest write gap",
                    "Time since the last acknowledgement, maximum of all partitions.",
                    SECONDS,
                    "max(time() - kafka_metal_probe_acknowledged_time_seconds{{C}})",
                    bad=15,
                ),
                stat(
                    "Acknowledgement latency, p99",
                    "Time from passing a record to the producer to its acknowledgement.",
                    SECONDS,
                    "histogram_quantile(0.99, sum by (le)"
                    " (rate(kafka_metal_probe_acknowledgement_seconds_bucket{{C}}[5m])))",
                    bad=1,
                ),
                stat(
                    "End-to-end latency, p99",
                    "Time from passing a record to the producer to its receipt.",
                    SECONDS,
                    "histogram_quantile(0.99, sum by (le)"
                    " (rate(kafka_metal_probe_end_to_end_seconds_bucket{{C}}[5m])))",
                    bad=1,
                ),
            ),
        ),
        (
            "Problems",
            (
                stat(
                    "Brokers down",
                    "Brokers that Prometheus cannot scrape.",
                    COUNT,
                    'count(up{job="kafka", {C}} == 0) or vector(0)',
                    bad=1,
                ),
                stat(
                    "Controllers",
                    "Active controllers. Must be one.",
                    COUNT,
                    "sum(kafka_controller_active{{C}})",
                    bad=1,
                    low=True,
                ),
                stat(
                    "Leaderless",
                    "Partitions without a leader: no reads or writes are possible.",
                    COUNT,
                    "sum(kafka_controller_offline_partitions{{C}})",
                    bad=1,
                ),
                stat(
                    "Under min ISR",
                    "Partitions that reject writes with acks=all.",
                    COUNT,
                    "sum(kafka_server_under_min_isr_partitions{{C}})",
                    bad=1,
                ),
                stat(
                    "Under-replicated",
                    "Partitions with a replica that is not in sync.",
                    COUNT,
                    "sum(kafka_server_under_replicated_partitions{{C}})",
                    bad=1,
                ),
                stat(
                    "Log dirs offline",
                    "Log dirs that failed with a disk error.",
                    COUNT,
                    "sum(kafka_log_dir_offline{{C}})",
                    bad=1,
                ),
            ),
        ),
        (
            "Load",
            (
                graph(
                    "Written by clients",
                    "Bytes produced by clients, by broker.",
                    BYTE_RATE,
                    (
                        "sum by (instance) (rate(kafka_server_received_bytes_total{{C}}[5m]))",
                        "{{instance}}",
                    ),
                ),
                graph(
                    "Read by clients",
                    "Bytes consumed by clients, by broker.",
                    BYTE_RATE,
                    (
                        "sum by (instance) (rate(kafka_server_sent_bytes_total{{C}}[5m]))",
                        "{{instance}}",
                    ),
                ),
                graph(
                    "Records written",
                    "Records produced by clients, by broker.",
                    RATE,
                    (
                        "sum by (instance) (rate(kafka_server_records_total{{C}}[5m]))",
                        "{{instance}}",
                    ),
                ),
                graph(
                    "Least free disk space",
                    "Free share of the fullest file system of each machine.",
                    RATIO,
                    (
                        'min by (host) (node_filesystem_avail_bytes{fstype=~"xfs|ext4", {C}}'
                        ' / node_filesystem_size_bytes{fstype=~"xfs|ext4", {C}})',
                        "{{host}}",
                    ),
                    empty=NO_ROOT,
                ),
                graph(
                    "Largest lags",
                    "Age of the oldest unread record of a group. The five largest lags.",
                    SECONDS,
                    (
                        "topk(5, max by (group) (kafka_metal:group_lag:seconds{{C}}))",
                        "{{group}}",
                    ),
                    empty=NO_GROUPS,
                ),
                graph(
                    "Idle threads",
                    "Share of time in which request handlers are idle. Slow below 0.3.",
                    RATIO,
                    ("kafka_server_request_handler_idle_ratio{{C}}", "{{instance}}"),
                ),
            ),
        ),
    ),
)
