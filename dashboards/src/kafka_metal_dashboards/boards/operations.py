"""A roll or an upgrade in progress, and the watchers themselves."""

from ..model import BYTES, COUNT, MOMENT, RATE, SECONDS, Board, graph, stat

ROLL = Board(
    "roll",
    "Kafka / Roll in progress",
    "What to look at while brokers restart one after the other.",
    (
        (
            "Now",
            (
                stat(
                    "At work until",
                    "When the verb counts on being done; it puts this ahead with every broker.",
                    MOMENT,
                    "kafka_metal:maintenance_until{{C}} * 1000",
                    empty="Empty while no verb is at work.",
                ),
                stat(
                    "Brokers away",
                    "One at a time, or one rack.",
                    COUNT,
                    'count(up{job="kafka", {C}} == 0) or vector(0)',
                    bad=2,
                ),
                stat(
                    "Under min ISR",
                    "None, at any time: the gate sees to it.",
                    COUNT,
                    "sum(kafka_server_under_min_isr_partitions{{C}})",
                    bad=1,
                ),
                stat(
                    "Under-replicated",
                    "The next broker stops when none is left.",
                    COUNT,
                    "sum(kafka_server_under_replicated_partitions{{C}})",
                ),
                stat(
                    "Not led by the preferred replica",
                    "Leaders come back once the broker is in sync.",
                    COUNT,
                    "max(kafka_controller_not_preferred_leaders{{C}})",
                ),
                stat(
                    "Longest silence",
                    "What a writer feels: time since the last acknowledgement.",
                    SECONDS,
                    "max(time() - kafka_metal_probe_acknowledged_time_seconds{{C}})",
                    bad=15,
                ),
            ),
        ),
        (
            "Progress",
            (
                graph(
                    "Versions",
                    "Brokers by the version of their program.",
                    COUNT,
                    ("count by (version) (kafka_server_version{{C}})", "{{version}}"),
                ),
                graph(
                    "State of brokers",
                    "3 while it runs, 2 while it checks its log, 6 and 7 while it stops.",
                    COUNT,
                    ("kafka_server_broker_state{{C}}", "{{instance}}"),
                ),
                graph(
                    "Running since",
                    "Seconds since each broker began.",
                    SECONDS,
                    (
                        'time() - process_start_time_seconds{job="kafka", {C}}',
                        "{{instance}}",
                    ),
                ),
                graph(
                    "Catching up",
                    "Partitions that lack a replica, by the broker that leads them.",
                    COUNT,
                    ("kafka_server_under_replicated_partitions{{C}}", "{{instance}}"),
                ),
                graph(
                    "Leaders",
                    "Partitions led by each broker.",
                    COUNT,
                    ("kafka_server_leaders{{C}}", "{{instance}}"),
                ),
                graph(
                    "What writers feel",
                    "Time since the last acknowledgement, by partition.",
                    SECONDS,
                    (
                        "time() - kafka_metal_probe_acknowledged_time_seconds{{C}}",
                        "{{partition}}",
                    ),
                ),
            ),
        ),
    ),
)

WATCH = Board(
    "watch",
    "Kafka / Monitoring",
    "Whether those who watch are awake.",
    (
        (
            "Prometheus and Alertmanager",
            (
                graph(
                    "Targets away",
                    "By job.",
                    COUNT,
                    ("count by (job) (up{{C}} == 0) or sum by (job) (up{{C}}) * 0", "{{job}}"),
                ),
                graph(
                    "Time to read a target",
                    "The slowest of each job.",
                    SECONDS,
                    ("max by (job) (scrape_duration_seconds{{C}})", "{{job}}"),
                ),
                graph(
                    "Figures in one answer",
                    "The largest of each job.",
                    COUNT,
                    ("max by (job) (scrape_samples_scraped{{C}})", "{{job}}"),
                ),
                graph(
                    "Series",
                    "In the memory of Prometheus.",
                    COUNT,
                    ("prometheus_tsdb_head_series{{C}}", "{{instance}}"),
                ),
                graph(
                    "Kept",
                    "Size of blocks on the disk.",
                    BYTES,
                    ("prometheus_tsdb_storage_blocks_bytes{{C}}", "{{instance}}"),
                ),
                graph(
                    "Notifications",
                    "Sent, and failed, by the way they took.",
                    RATE,
                    (
                        "sum by (integration) (rate(alertmanager_notifications_total{{C}}[5m]))",
                        "{{integration}}",
                    ),
                    (
                        "sum by (integration)"
                        " (rate(alertmanager_notifications_failed_total{{C}}[5m]))",
                        "{{integration}} failed",
                    ),
                ),
            ),
        ),
    ),
)
