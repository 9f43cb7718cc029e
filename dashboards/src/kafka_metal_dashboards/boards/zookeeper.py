"""Dashboard of the ZooKeeper ensemble."""

from ..model import COUNT, RATE, SECONDS, Board, graph, stat

ZOOKEEPER = Board(
    "ensemble",
    "Kafka / ZooKeeper",
    "The ZooKeeper ensemble, which stores the metadata of the cluster.",
    (
        (
            "State",
            (
                stat(
                    "Servers down",
                    "Servers that Prometheus cannot scrape.",
                    COUNT,
                    'count(up{job="zookeeper", {C}} == 0) or vector(0)',
                    bad=1,
                ),
                stat(
                    "Leaders",
                    "Servers that are the leader. Must be one.",
                    COUNT,
                    "sum(zookeeper_leader{{C}})",
                    bad=1,
                    low=True,
                ),
                stat(
                    "Znodes",
                    "Znodes in the data tree.",
                    COUNT,
                    "max(zookeeper_znodes{{C}})",
                ),
                stat(
                    "Watches",
                    "Watches set by clients.",
                    COUNT,
                    "sum(zookeeper_watches{{C}})",
                ),
            ),
        ),
        (
            "Load",
            (
                graph(
                    "Requests",
                    "Requests, including session heartbeats.",
                    RATE,
                    ("rate(zookeeper_requests_total{{C}}[5m])", "{{instance}}"),
                ),
                graph(
                    "Queued requests",
                    "More than ten for minutes mean a slow disk.",
                    COUNT,
                    ("zookeeper_outstanding_requests{{C}}", "{{instance}}"),
                ),
                graph(
                    "Slow fsyncs",
                    "Fsyncs of the transaction log of over a second. They block all writes.",
                    COUNT,
                    (
                        "increase(zookeeper_fsync_threshold_exceeded_total{{C}}[5m])",
                        "{{instance}}",
                    ),
                ),
                graph(
                    "Request latency",
                    "Mean and maximum since the server started to serve.",
                    SECONDS,
                    ("zookeeper_request_mean_seconds{{C}}", "{{instance}} mean"),
                    ("zookeeper_request_max_seconds{{C}}", "{{instance}} max"),
                ),
                graph(
                    "Connections",
                    "Connected clients.",
                    COUNT,
                    ("zookeeper_connections{{C}}", "{{instance}}"),
                ),
                graph(
                    "CPU",
                    "Cores used by each server.",
                    COUNT,
                    ('rate(process_cpu_seconds_total{job="zookeeper", {C}}[5m])', "{{instance}}"),
                ),
            ),
        ),
    ),
)
