"""What each broker does, and where the time of its requests goes."""

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
    """Where the time of a kind of request goes."""
    return graph(
        f"{title}: phases, p99",
        "RequestQueue waits for a thread, Local is the leader's disk, Remote its followers or new "
        "records, ResponseSend the network. The slowest broker.",
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
    "What each broker does, and where the time of its requests goes.",
    (
        (
            "State",
            (
                graph(
                    "State",
                    "3 while it runs, 2 while it checks its log, 6 and 7 while it stops.",
                    COUNT,
                    ("kafka_server_broker_state{{C}}", "{{instance}}"),
                ),
                graph(
                    "Leaders",
                    "Partitions led by each broker; they should lead about the same number.",
                    COUNT,
                    ("kafka_server_leaders{{C}}", "{{instance}}"),
                ),
                graph(
                    "Who falls out of sync",
                    "Replicas that fell out of sync and came back, by the broker that leads.",
                    RATE,
                    ("rate(kafka_server_isr_shrinks_total{{C}}[5m])", "{{instance}} out"),
                    ("rate(kafka_server_isr_expands_total{{C}}[5m])", "{{instance}} back"),
                ),
                graph(
                    "Followers behind",
                    "Records by which the furthest follower on each broker is behind.",
                    COUNT,
                    ("kafka_server_replica_max_lag_records{{C}}", "{{instance}}"),
                ),
                graph(
                    "Sessions with the metadata store",
                    "Time of requests, p99, and sessions that ended.",
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
                    "Connections of the limit",
                    "Open connections of those that a listener accepts; at 1 new clients wait.",
                    RATIO,
                    ("kafka_metal:connections:ratio{{C}}", "{{instance}} {{listener}}"),
                    empty="Empty where a site has taken the limits away.",
                ),
            ),
        ),
        (
            "Requests",
            (
                graph(
                    "Writes: total, p99",
                    "From the arrival of a request to its answer.",
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
                    "Answers with an error",
                    "By request and error; NOT_LEADER_OR_FOLLOWER is a client that looks for one.",
                    RATE,
                    (
                        "sum by (request, error)"
                        ' (rate(kafka_network_answers_total{error!="NONE", {C}}[5m])) > 0',
                        "{{request}} {{error}}",
                    ),
                    empty="Empty while no answer is an error.",
                ),
                graph(
                    "Writes and reads that fail",
                    "Failures of a single partition, by broker.",
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
                    "Requests that wait",
                    "For a thread, and for replicas or records.",
                    COUNT,
                    ("kafka_network_request_queue{{C}}", "{{instance}} thread"),
                    ("kafka_server_waiting_requests{{C}}", "{{instance}} {{operation}}"),
                ),
            ),
        ),
        (
            "Room to work",
            (
                graph(
                    "Threads idle",
                    "Share of time in which threads for requests and for the network are idle.",
                    RATIO,
                    ("kafka_server_request_handler_idle_ratio{{C}}", "{{instance}} requests"),
                    ("kafka_network_processor_idle_ratio{{C}}", "{{instance}} network"),
                ),
                graph(
                    "Processors",
                    "Cores that each broker uses.",
                    COUNT,
                    ('rate(process_cpu_seconds_total{job="kafka", {C}}[5m])', "{{instance}}"),
                ),
                graph(
                    "Heap",
                    "Memory of the JVM in use.",
                    BYTES,
                    ('jvm_memory_used_bytes{job="kafka", area="heap", {C}}', "{{instance}}"),
                ),
                graph(
                    "Pauses",
                    "Share of time in which the JVM collects garbage.",
                    RATIO,
                    (
                        "sum by (instance)"
                        ' (rate(jvm_gc_collection_seconds_sum{job="kafka", {C}}[5m]))',
                        "{{instance}}",
                    ),
                ),
                graph(
                    "Replication",
                    "Bytes fetched from other brokers.",
                    BYTE_RATE,
                    (
                        "rate(kafka_server_replication_received_bytes_total{{C}}[5m])",
                        "{{instance}}",
                    ),
                ),
                graph(
                    "File descriptors",
                    "Share of those it may have.",
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
