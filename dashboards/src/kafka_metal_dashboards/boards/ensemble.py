"""The ZooKeeper ensemble."""

from ..model import COUNT, RATE, SECONDS, Board, graph, stat

ENSEMBLE = Board(
    "ensemble",
    "Kafka / Ensemble",
    "Servers that keep the cluster's metadata.",
    (
        (
            "State",
            (
                stat(
                    "Servers away",
                    "Servers that do not tell their figures.",
                    COUNT,
                    'count(up{job="zookeeper", {C}} == 0) or vector(0)',
                    bad=1,
                ),
                stat(
                    "Leaders",
                    "Servers that lead: one.",
                    COUNT,
                    "sum(zookeeper_leader{{C}})",
                    bad=1,
                    low=True,
                ),
                stat(
                    "Nodes",
                    "Nodes of the tree.",
                    COUNT,
                    "max(zookeeper_znodes{{C}})",
                ),
                stat(
                    "Watches",
                    "Watches that brokers set.",
                    COUNT,
                    "sum(zookeeper_watches{{C}})",
                ),
            ),
        ),
        (
            "Work",
            (
                graph(
                    "Requests",
                    "Requests, heartbeats of sessions included.",
                    RATE,
                    ("rate(zookeeper_requests_total{{C}}[5m])", "{{instance}}"),
                ),
                graph(
                    "Requests that wait",
                    "More than ten for minutes means a slow disk.",
                    COUNT,
                    ("zookeeper_outstanding_requests{{C}}", "{{instance}}"),
                ),
                graph(
                    "Writes of the log over a second",
                    "Each made every client wait for as long.",
                    COUNT,
                    (
                        "increase(zookeeper_fsync_threshold_exceeded_total{{C}}[5m])",
                        "{{instance}}",
                    ),
                ),
                graph(
                    "Time of a request",
                    "Mean and longest since a server began to serve.",
                    SECONDS,
                    ("zookeeper_request_mean_seconds{{C}}", "{{instance}} mean"),
                    ("zookeeper_request_max_seconds{{C}}", "{{instance}} longest"),
                ),
                graph(
                    "Connections",
                    "Clients that are connected.",
                    COUNT,
                    ("zookeeper_connections{{C}}", "{{instance}}"),
                ),
                graph(
                    "Processors",
                    "Cores that each server uses.",
                    COUNT,
                    ('rate(process_cpu_seconds_total{job="zookeeper", {C}}[5m])', "{{instance}}"),
                ),
            ),
        ),
    ),
)
