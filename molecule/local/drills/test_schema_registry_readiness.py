"""An instance of Schema Registry that is not ready: its metric, its alert, and the way back."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

from confluent_kafka.schema_registry import Schema
from testing import faults
from testing.prometheus import Prometheus
from testing.schema_registry import INSTANCES, Registry, record, subject
from testing.waiting import NotYet, wait_for

# Seconds until a ticket that waits five minutes, and until it ends.
TICKET_S, END_S = 420, 120


def ready(name: str, value: int) -> str:
    """Return the query for an instance whose readiness has a value."""
    return f'kafka_metal_service_ready{{of_instance="{name}"}} == {value}'


def test_readiness_is_measured_on_the_machine_of_an_instance(
    registry: Registry, prometheus: Prometheus
):
    def measured(value: int) -> None:
        if not prometheus.query(ready(INSTANCES[0], value)):
            raise NotYet(f"kafka_metal_service_ready is not {value}")

    wait_for("the instance is ready", lambda: measured(1), seconds=60)
    with faults.stopped(registry.cluster, registry.instance(INSTANCES[0])):
        wait_for("the instance is not ready", lambda: measured(0), seconds=60)
    registry.wait_until_ready()
    wait_for("the instance is ready again", lambda: measured(1), seconds=60)


# Shorter than the session timeout of a broker, longer than the 10 s after which the registry
# counts a request as slow.
FROZEN_S, WRITERS = 14, 10


def test_writes_that_wait_for_kafka_do_not_change_readiness(registry: Registry):
    def register(number: int) -> None:
        schema = Schema(record(f"waits{number}"), "AVRO")
        registry.client(timeout=60).register_schema(subject(), schema)

    with ThreadPoolExecutor(WRITERS) as pool:
        with ExitStack() as frozen:
            for broker in registry.cluster.topology.brokers.values():
                frozen.enter_context(faults.frozen(registry.cluster, broker))
            writes = [pool.submit(register, number) for number in range(WRITERS)]
            time.sleep(FROZEN_S)
        for write in writes:
            write.result()

    for name in INSTANCES:
        registry.container(name).check_health()


# No fetch of the journal ever gets a response: the broker waits longer than the registry.
STARVED = """
apicurio.kafkasql.consumer.fetch.min.bytes=50000000
apicurio.kafkasql.consumer.fetch.max.wait.ms=3600000
apicurio.kafkasql.consumer.request.timeout.ms=5000
"""


@contextmanager
def never_ready(registry: Registry, name: str) -> Iterator[str]:
    """Restart an instance with STARVED in its file, whose path is yielded; at the end, undo it."""
    shell, container = registry.cluster.shell("localhost"), registry.instance(name).container
    file = f"/etc/kafka-metal/{container}/registry.properties"
    shell.check_output("cp --preserve %s %s.before", file, file)
    try:
        shell.check_output("printf %s >> %s", STARVED, file)
        shell.check_output("docker restart --time 60 %s", container)
        yield file
    finally:
        # Without effect if the test has undone it.
        if shell.run("mv %s.before %s", file, file).rc == 0:
            shell.check_output("docker restart --time 60 %s", container)


def test_an_instance_that_is_never_ready_raises_a_ticket(
    registry: Registry, prometheus: Prometheus
):
    name, shell = INSTANCES[0], registry.cluster.shell("localhost")
    with never_ready(registry, name) as file:
        prometheus.wait_for("SchemaRegistryNotReady", seconds=TICKET_S)
        status = registry.run("status")
        assert f"{name} is starting: it is not ready yet" in status.stdout
        # Clients send a request to the other instance after a server error.
        assert registry.client("reader").get_compatibility() == "BACKWARD"

        # As the alert's page says.
        registry.succeed("topics")
        registry.succeed("restart", S="schema_registry")
        registry.wait_until_ready()
        prometheus.wait_until_over("SchemaRegistryNotReady", seconds=END_S)
        assert shell.run("grep --quiet fetch.min.bytes %s", file).rc != 0
