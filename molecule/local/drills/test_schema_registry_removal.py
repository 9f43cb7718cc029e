"""Schema Registry loses an instance, is switched off and on again, as its guide says."""

import re
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from kafka.admin import (
    ACLFilter,
    ACLOperation,
    ACLPermissionType,
    ACLResourcePatternType,
    ResourcePatternFilter,
    ResourceType,
)
from testing import access
from testing.prometheus import Prometheus
from testing.schema_registry import INSTANCES, Load, Registry
from testing.waiting import NotYet, wait_for

GUIDE = Path(__file__).resolve().parents[3] / "docs/operate/guides/schema-registry.md"
# Inventory with one of the two instances.
ONE = """
all:
  children:
    schema_registry:
      hosts: {schema-registry1: {schema_registry_id: 1}}
"""


@pytest.fixture
def one(registry: Registry) -> Iterator[Registry]:
    """The registry without its second instance in the inventory; in the end with both."""
    # Variables of the platform name files by paths from the inventory of a host.
    with tempfile.TemporaryDirectory(dir=registry.inventory.parent) as folder:
        (Path(folder) / "hosts.yml").write_text(ONE)
        (Path(folder) / "group_vars").symlink_to(registry.inventory / "group_vars")
        yield replace(registry, inventory=Path(folder))
    registry.up()
    registry.read_access()


def delete(registry: Registry, name: str) -> None:
    """Run the commands of the guide for an instance, on its machine."""
    section = GUIDE.read_text().partition("### Remove an instance")[2].partition("\n## ")[0]
    (block,) = re.findall(r"```text\n(.*?)```", section, flags=re.DOTALL)
    own = block.replace("prod", registry.cluster.topology.cluster)
    for command in own.replace(INSTANCES[0], name).strip().splitlines():
        registry.cluster.shell("localhost").check_output(command.strip())


def require_no_trace(registry: Registry, *names: str) -> None:
    """Assert that `make status` has no problem, and does not name removed instances in a minute."""

    def read() -> None:
        done = registry.run("status")
        assert done.returncode == 0, done.stdout[-3000:]
        if any(name in done.stdout for name in names):
            raise NotYet(done.stdout[-3000:])

    wait_for("the removed instance is no longer named", read, seconds=60)


def groups(registry: Registry) -> set[str]:
    """Return the prefixes of consumer groups that the user of the instances may use."""
    of_groups = ResourcePatternFilter(ResourceType.GROUP, None, ACLResourcePatternType.ANY)
    every = ACLFilter(
        "User:schema-registry", None, ACLOperation.ANY, ACLPermissionType.ANY, of_groups
    )
    with access.admin(registry.cluster.topology.bootstrap) as admin:
        acls, _ = admin.describe_acls(every)
    return {each.resource_pattern.resource_name for each in acls}


def test_an_instance_is_removed_while_clients_register(
    one: Registry, registry: Registry, prometheus: Prometheus
):
    assert groups(registry) == {"schema-registry-1-", "schema-registry-2-"}
    began = time.time()
    with Load(registry) as load:
        delete(one, INSTANCES[1])
        one.up()
        load.wait_for_more(3)

    assert load.failures == []
    load.verify()
    require_no_trace(one, INSTANCES[1])
    assert prometheus.fired("page", int(time.time() - began)) == set()
    assert groups(one) == {"schema-registry-1-"}
    one.read_access()
    assert len(one.urls()) == 1
    assert "Nothing changed" in one.succeed("up")


def test_schemas_are_kept_while_the_registry_is_switched_off(
    registry: Registry, prometheus: Prometheus
):
    with Load(registry) as load:
        load.wait_for_more(3)
    before, began = registry.count(), time.time()
    # With the inventory without its group.
    off = replace(registry, inventory=registry.inventory.with_name("inventory"))
    try:
        off.up()
        status = off.succeed("status")
        for name in INSTANCES:
            assert f"{name} runs on localhost, where the inventory does not have it" in status
            delete(registry, name)
        require_no_trace(off, *INSTANCES)
        assert groups(registry) == set()
        assert prometheus.fired("page", int(time.time() - began)) == set()
    finally:
        registry.up()
        registry.read_access()
        registry.wait_until_ready()

    assert registry.count() == before
    load.verify()
    registry.succeed("status")
