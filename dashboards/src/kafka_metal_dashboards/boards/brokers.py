"""Dashboard of brokers: state, requests and resources."""

from ..model import (
    BYTE_RATE,
    BYTES,
    COUNT,
    RATE,
    RATIO,
    SECONDS,
    Board,
    Panel,
    graph,
)


def phases(request: str, title: str) -> Panel:
    """Return a panel with the duration of a type of request by phase."""
    return graph(
        f"{title}: phases, p99",
        "Slowest broker. RequestQueue: waiting for a thread. Local: disk of the leader. Remote: "
        "waiting for followers or new records. ResponseSend: network.",
        SECONDS,
        (
            f'max by (phase) (kafka_network_request_time_seconds{{request="{request}",'
            ' phase!="Total", quantile="0.99", {C}})',
            "{{phase}}",
        ),
    )


BROKERS = Board(
    "brokers",
    "Kafka / Brokers",
    "State of each broker, duration of requests by phase, and resources.",
    (
        (
            "State",
            (
                graph(
                    "State",
                    "3 running, 2 log recovery, 6 and 7 shutting down.",
                    COUNT,
                    ("kafka_server_broker_state{{C}}", "{{instance}}"),
                ),
                graph(
                    "Leaders",
                    "Partitions led by each broker; the numbers should be about equal.",
                    COUNT,
                    ("kafka_server_leaders{{C}}", "{{instance}}"),
                ),
                graph(
                    "ISR shrinks and expands",
                    "Replicas removed from and added to an ISR, by leader.",
                    RATE,
                    ("rate(kafka_server_isr_shrinks_total{{C}}[5m])", "{{instance}} shrink"),
                    ("rate(kafka_server_isr_expands_total{{C}}[5m])", "{{instance}} expand"),
                ),
                graph(
                    "Lag of followers",
                    "Largest lag of the follower replicas on each broker, in records.",
                    COUNT,
                    ("kafka_server_replica_max_lag_records{{C}}", "{{instance}}"),
                ),
                graph(
                    "Requests to the metadata store",
                    "Latency of each broker's requests.",
                    SECONDS,
                    ("kafka_server_zookeeper_request_time_seconds{{C}}", "{{instance}}"),
                ),
                graph(
                    "Connections",
                    "Open connections of clients and brokers, by listener.",
                    COUNT,
                    (
                        "sum by (instance, listener) (kafka_server_connections{{C}})",
                        "{{instance}} {{listener}}",
                    ),
                ),
                graph(
                    "Connections of limit",
                    "Open connections as a share of a listener's limit. At 1 new clients wait.",
                    RATIO,
                    ("kafka_metal:connections:ratio{{C}}", "{{instance}} {{listener}}"),
                    empty="Empty if the inventory sets no limits.",
                ),
            ),
        ),
        (
            "Requests",
            (
                graph(
                    "Writes: total, p99",
                    "Time from receipt of a request to its response.",
                    SECONDS,
                    (
                        'kafka_network_request_time_seconds{request="Produce", phase="Total",'
                        ' quantile="0.99", {C}}',
                        "{{instance}}",
                    ),
                ),
                phases("Produce", "Writes"),
                phases("FetchConsumer", "Reads"),
                graph(
                    "Error responses",
                    "By request and error. NOT_LEADER_OR_FOLLOWER: a client has old metadata.",
                    RATE,
                    (
                        "sum by (request, error)"
                        ' (rate(kafka_network_answers_total{error!="NONE", {C}}[5m])) > 0',
                        "{{request}} {{error}}",
                    ),
                    empty="Empty while there are no errors.",
                ),
                graph(
                    "Failed writes and reads",
                    "Failed produce and fetch requests of single partitions, by broker.",
                    RATE,
                    (
                        "rate(kafka_server_failed_produce_requests_total{{C}}[5m])",
                        "{{instance}} write",
                    ),
                    (
                        "rate(kafka_server_failed_fetch_requests_total{{C}}[5m])",
                        "{{instance}} read",
                    ),
                ),
                graph(
                    "Waiting requests",
                    "Requests in the request queue (for a thread), and in purgatory by operation.",
                    COUNT,
                    ("kafka_network_request_queue{{C}}", "{{instance}} thread"),
                    ("kafka_server_waiting_requests{{C}}", "{{instance}} {{operation}}"),
                ),
            ),
        ),
        (
            "Resources",
            (
                graph(
                    "Idle threads",
                    "Share of time in which request handler and network threads are idle.",
                    RATIO,
                    ("kafka_server_request_handler_idle_ratio{{C}}", "{{instance}} requests"),
                    ("kafka_network_processor_idle_ratio{{C}}", "{{instance}} network"),
                ),
                graph(
                    "CPU",
                    "Cores used by each broker.",
                    COUNT,
                    ('rate(process_cpu_seconds_total{job="kafka", {C}}[5m])', "{{instance}}"),
                ),
                graph(
                    "Heap",
                    "Used heap of the JVM.",
                    BYTES,
                    ('jvm_memory_used_bytes{job="kafka", area="heap", {C}}', "{{instance}}"),
                ),
                graph(
                    "Garbage collection",
                    "Share of time in garbage collection pauses.",
                    RATIO,
                    (
                        "sum by (instance)"
                        ' (rate(jvm_gc_collection_seconds_sum{job="kafka", {C}}[5m]))',
                        "{{instance}}",
                    ),
                ),
                graph(
                    "Replication",
                    "Bytes replicated from other brokers.",
                    BYTE_RATE,
                    (
                        "rate(kafka_server_replication_received_bytes_total{{C}}[5m])",
                        "{{instance}}",
                    ),
                ),
                graph(
                    "File descriptors",
                    "Open file descriptors as a share of the limit.",
                    RATIO,
                    (
                        'process_open_fds{job="kafka", {C}} / process_max_fds{job="kafka", {C}}',
                        "{{instance}}",
                    ),
                ),
            ),
        ),
    ),
)
