"""A journal of 10,000 schemas: start, memory, backup and restore of Schema Registry."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from confluent_kafka.schema_registry import Schema
from testing.schema_registry import INSTANCES, Registry, record

SCHEMAS, CLIENTS = 10_000, 8
# A restore of 2,000 schemas takes two minutes.
RESTORE_S = 3600


def timed(what: str, action: Callable[[], Any]) -> None:
    """Run an action, and print how long it took."""
    began = time.monotonic()
    action()
    print(f"{what}: {time.monotonic() - began:.0f} s")


def register(registry: Registry, first: int) -> None:
    """Register every eighth subject, from ``first`` on."""
    client = registry.client()
    for number in range(first, SCHEMAS, CLIENTS):
        schema = Schema(record(f"r{number}", f"field_{number}"), "AVRO")
        client.register_schema(f"journal-{number}", schema)


def register_all(registry: Registry) -> None:
    """Register all subjects with several clients."""
    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(lambda first: register(registry, first), range(CLIENTS)))


def memory(registry: Registry) -> str:
    """Return the memory that the first instance uses, and its limit."""
    container = registry.instance(INSTANCES[0]).container
    command = "docker stats --no-stream --format '{{.MemUsage}}' %s"
    return registry.cluster.shell("localhost").check_output(command, container)


def restart(registry: Registry) -> None:
    """Kill the first instance, and wait until it is ready again."""
    registry.kill(INSTANCES[0])
    registry.wait_until_ready(INSTANCES[0])


def test_ten_thousand_schemas_start_and_are_restored(registry: Registry, tmp_path: Path):
    file = tmp_path / "schemas.zip"
    before = registry.count()
    timed(f"{SCHEMAS:,} schemas with {CLIENTS} clients", lambda: register_all(registry))
    assert registry.count() == before + SCHEMAS
    print(f"memory after the registrations: {memory(registry)}")

    timed("start", lambda: restart(registry))
    print(f"memory after the start: {memory(registry)}")
    assert registry.count() == before + SCHEMAS

    timed("backup", lambda: registry.succeed("schemas-backup", FILE=str(file)))
    print(f"backup: {file.stat().st_size / 2**20:.1f} MiB")
    with registry.emptied() as other:
        timed(
            "restore",
            lambda: registry.succeed("schemas-restore", other, seconds=RESTORE_S, FILE=str(file)),
        )
        assert registry.count() == before + SCHEMAS
        print(f"memory after the restore: {memory(registry)}")
        timed("start after the restore", lambda: restart(registry))
        number = registry.client("reader").get_latest_version(f"journal-{SCHEMAS - 1}").schema_id
    found = registry.client("reader").get_latest_version(f"journal-{SCHEMAS - 1}")
    assert found.schema_id == number
