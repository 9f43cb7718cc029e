"""Is it healthy, and if not, where."""

from ..model import BYTE_RATE, COUNT, NO_GROUPS, NO_ROOT, RATE, RATIO, SECONDS, Board, graph, stat

OVERVIEW = Board(
    "overview",
    "Kafka / Overview",
    "One screen that answers whether a cluster is healthy, and if not, where.",
    (
        (
            "Does it serve",
            (
                stat(
                    "Pages now",
                    "Alerts that wake somebody.",
                    COUNT,
                    'count(ALERTS{alertstate="firing", severity="page", {C}}) or vector(0)',
                    bad=1,
                ),
                stat(
                    "Tickets now",
                    "Alerts that wait for the morning.",
                    COUNT,
                    'count(ALERTS{alertstate="firing", severity="ticket", {C}}) or vector(0)',
                    bad=1,
                ),
                stat(
                    "Writes that succeed",
                    "Share of the probe's records that were acknowledged, over five minutes.",
                    RATIO,
                    "1 - sum(rate(kafka_metal_probe_failed_total{{C}}[5m]))"
                    " / sum(rate(kafka_metal_probe_sent_total{{C}}[5m]))",
                    bad=0.999,
                    low=True,
                ),
                stat(
                    "Longest silence",
                    "Time since the last acknowledgement, of the partition that waits longest.",
                    SECONDS,
                    "max(time() - kafka_metal_probe_acknowledged_time_seconds{{C}})",
                    bad=15,
                ),
                stat(
                    "Acknowledged within, p99",
                    "From handing a record over to its acknowledgement, as a client sees it.",
                    SECONDS,
                    "histogram_quantile(0.99, sum by (le)"
                    " (rate(kafka_metal_probe_acknowledgement_seconds_bucket{{C}}[5m])))",
                    bad=1,
                ),
                stat(
                    "Read within, p99",
                    "From handing a record over to receiving it.",
                    SECONDS,
                    "histogram_quantile(0.99, sum by (le)"
                    " (rate(kafka_metal_probe_end_to_end_seconds_bucket{{C}}[5m])))",
                    bad=1,
                ),
            ),
        ),
        (
            "Where it hurts",
            (
                stat(
                    "Brokers away",
                    "Brokers that do not tell their figures.",
                    COUNT,
                    'count(up{job="kafka", {C}} == 0) or vector(0)',
                    bad=1,
                ),
                stat(
                    "Controllers",
                    "Brokers that say they are the controller: one.",
                    COUNT,
                    "sum(kafka_controller_active{{C}})",
                    bad=1,
                    low=True,
                ),
                stat(
                    "Without a leader",
                    "Partitions that nobody can read or write.",
                    COUNT,
                    "sum(kafka_controller_offline_partitions{{C}})",
                    bad=1,
                ),
                stat(
                    "Under min ISR",
                    "Partitions that refuse writes with acks=all.",
                    COUNT,
                    "sum(kafka_server_under_min_isr_partitions{{C}})",
                    bad=1,
                ),
                stat(
                    "Under-replicated",
                    "Partitions that lack a replica in sync.",
                    COUNT,
                    "sum(kafka_server_under_replicated_partitions{{C}})",
                    bad=1,
                ),
                stat(
                    "Log dirs offline",
                    "Disks that answered a broker with an error.",
                    COUNT,
                    "sum(kafka_log_dir_offline{{C}})",
                    bad=1,
                ),
            ),
        ),
        (
            "What it does",
            (
                graph(
                    "Written by clients",
                    "Bytes of records that clients wrote, by broker.",
                    BYTE_RATE,
                    (
                        "sum by (instance) (rate(kafka_server_received_bytes_total{{C}}[5m]))",
                        "{{instance}}",
                    ),
                ),
                graph(
                    "Read by clients",
                    "Bytes of records that clients read, by broker.",
                    BYTE_RATE,
                    (
                        "sum by (instance) (rate(kafka_server_sent_bytes_total{{C}}[5m]))",
                        "{{instance}}",
                    ),
                ),
                graph(
                    "Records written",
                    "Records that clients wrote, by broker.",
                    RATE,
                    (
                        "sum by (instance) (rate(kafka_server_records_total{{C}}[5m]))",
                        "{{instance}}",
                    ),
                ),
                graph(
                    "Least room on a disk",
                    "Share of a file system that is left, the fullest of each machine.",
                    RATIO,
                    (
                        'min by (host) (node_filesystem_avail_bytes{fstype=~"xfs|ext4", {C}}'
                        ' / node_filesystem_size_bytes{fstype=~"xfs|ext4", {C}})',
                        "{{host}}",
                    ),
                    empty=NO_ROOT,
                ),
                graph(
                    "Groups furthest behind",
                    "For how long the oldest unread record of a group waits; the five longest.",
                    SECONDS,
                    (
                        "topk(5, max by (group) (kafka_metal:group_lag:seconds{{C}}))",
                        "{{group}}",
                    ),
                    empty=NO_GROUPS,
                ),
                graph(
                    "Threads idle",
                    "Share of time in which threads for requests are idle; below 0.3 it hurts.",
                    RATIO,
                    ("kafka_server_request_handler_idle_ratio{{C}}", "{{instance}}"),
                ),
            ),
        ),
    ),
)
