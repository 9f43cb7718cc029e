"""Dashboards of a rolling restart or upgrade, and of the monitoring itself."""

from ..model import BYTES, COUNT, MOMENT, RATE, SECONDS, Board, graph, stat

ROLL = Board(
    "roll",
    "Kafka / Rolling restart",
    "State of the cluster while brokers restart one after the other.",
    (
        (
            "Now",
            (
                stat(
                    "Maintenance until",
                    "When the maintenance marker expires. The run renews it while it lasts.",
                    MOMENT,
                    "kafka_metal:maintenance_until{{C}} * 1000",
                    empty="Empty while no operation is in progress.",
                ),
                stat(
                    "Brokers down",
                    "At most one broker, or one rack.",
                    COUNT,
                    'count(up{job="kafka", {C}} == 0) or vector(0)',
                    bad=2,
                ),
                stat(
                    "Under min ISR",
                    "Must be zero: a broker stops only if all partitions stay above min ISR.",
                    COUNT,
                    "sum(kafka_server_under_min_isr_partitions{{C}})",
                    bad=1,
                ),
                stat(
                    "Under-replicated",
                    "The next broker stops when this is zero.",
                    COUNT,
                    "sum(kafka_server_under_replicated_partitions{{C}})",
                ),
                stat(
                    "Not led by the preferred replica",
                    "Leaders move back once the broker is in sync.",
                    COUNT,
                    "max(kafka_controller_not_preferred_leaders{{C}})",
                ),
                stat(
                    "Longest write gap",
                    "Time since the probe's last acknowledgement.",
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
                    "Brokers by Kafka version.",
                    COUNT,
                    ("count by (version) (kafka_server_version{{C}})", "{{version}}"),
                ),
                graph(
                    "State of brokers",
                    "3 running, 2 log recovery, 6 and 7 shutting down.",
                    COUNT,
                    ("kafka_server_broker_state{{C}}", "{{instance}}"),
                ),
                graph(
                    "Uptime",
                    "Time since the start of each broker.",
                    SECONDS,
                    (
                        'time() - process_start_time_seconds{job="kafka", {C}}',
                        "{{instance}}",
                    ),
                ),
                graph(
                    "Under-replicated partitions",
                    "By leader.",
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
                    "Write gaps",
                    "Time since the probe's last acknowledgement, by partition.",
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
    "State of Prometheus, Alertmanager and their targets.",
    (
        (
            "Prometheus and Alertmanager",
            (
                graph(
                    "Targets down",
                    "By job.",
                    COUNT,
                    ("count by (job) (up{{C}} == 0) or sum by (job) (up{{C}}) * 0", "{{job}}"),
                ),
                graph(
                    "Scrape duration",
                    "The slowest target of each job.",
                    SECONDS,
                    ("max by (job) (scrape_duration_seconds{{C}})", "{{job}}"),
                ),
                graph(
                    "Samples per scrape",
                    "The largest target of each job.",
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
                    "Storage",
                    "Size of the blocks on disk.",
                    BYTES,
                    ("prometheus_tsdb_storage_blocks_bytes{{C}}", "{{instance}}"),
                ),
                graph(
                    "Notifications",
                    "Sent and failed notifications by integration.",
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
