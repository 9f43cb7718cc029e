"""The lookup preflight on real inventories: templates, role defaults, speed."""

import re
import time
from pathlib import Path

import pytest
import yaml
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible.vars.hostvars import HostVars
from ansible.vars.manager import VariableManager
from ansible_collections.metal.kafka.plugins.lookup.preflight import LookupModule
from ansible_collections.metal.kafka.plugins.plugin_utils._catalogue import SERVICES

ROOT = Path(__file__).resolve().parents[2]
GIB = 1024**3


def problems_of(inventory: Path, term: str = "problems", facts: dict | None = None) -> list:
    """The result of the lookup for an inventory; ``facts`` are registered on every machine."""
    loader = DataLoader()
    loader.set_basedir(str(ROOT / "playbooks"))
    hosts = InventoryManager(loader=loader, sources=[str(inventory)])
    manager = VariableManager(loader=loader, inventory=hosts)
    hostvars = HostVars(hosts, manager, loader)
    groups = hosts.get_groups_dict()
    for machine in groups["metal"] if facts else ():
        manager.set_nonpersistent_facts(machine, {"preflight_machine": {"facts": facts}})
    variables = {"hostvars": hostvars, "groups": groups}
    return LookupModule(loader=loader).run([term], variables=variables)


def copy_with(tmp_path: Path, inventory: str, file: str, **changes: object) -> Path:
    """A copy of an inventory with ``changes`` in an additional file of host variables."""
    target = tmp_path / "inventory"
    for path in sorted((ROOT / "inventories" / inventory).rglob("*.yml")):
        copy = target / path.relative_to(ROOT / "inventories" / inventory)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(path.read_text())
    (target / "host_vars").mkdir()
    (target / "host_vars" / file).write_text(yaml.safe_dump(changes))
    return target


def fatal(problems: list) -> list[str]:
    return [problem["text"] for problem in problems if problem["fatal"]]


@pytest.mark.parametrize("inventory", ["local", "example"])
def test_delivered_inventories_are_valid(inventory):
    assert fatal(problems_of(ROOT / "inventories" / inventory)) == []


def test_variables_with_defaults_in_playbooks_can_be_set(tmp_path):
    own = {
        **{"security_store": "/safe/store.vault", "security_password_file": "/safe/password"},
        **{"security_super_users": ["User:admin"], "security_warn_days": 30},
    }
    assert fatal(problems_of(copy_with(tmp_path, "local", "kafka2.yml", **own))) == []
    typo = copy_with(tmp_path / "typo", "local", "kafka2.yml", security_stroe="/safe/store.vault")
    assert "an unknown variable that looks like security_store" in fatal(problems_of(typo))[0]


def test_fault_in_a_template_is_found_after_templating(tmp_path):
    found = fatal(
        problems_of(copy_with(tmp_path, "local", "kafka2.yml", kafka_broker_id="{{ 2 - 1 }}"))
    )
    assert "kafka2: kafka_broker_id: found 1, which kafka1 also has" in found[0]
    # The same id gives the same ports and log dirs; these conflicts are reported, too.
    assert any("found port 9092" in text for text in found)


def test_undefined_variable_is_reported_and_other_checks_run(tmp_path):
    found = fatal(
        problems_of(copy_with(tmp_path, "local", "kafka2.yml", kafka_broker_heap="{{ ram }}"))
    )
    assert len(found) == 1
    assert "kafka2: kafka_broker_heap: found a template that fails" in found[0]
    assert "'ram' is undefined" in found[0]


def test_role_default_applies_if_inventory_has_no_value(tmp_path):
    facts = {"memory": 4 * GIB}
    inventory = copy_with(tmp_path, "example", "node1.example.com.yml", spark_worker_memory="512m")
    found = [
        text
        for text in fatal(problems_of(inventory, facts=facts))
        if "node1.example.com: mem" in text
    ]
    # Role zookeeper's defaults are a 512m heap and a 1g limit; the limit counts.
    assert "node1.example.com 1.0 GiB (zookeeper_memory)" in found[0]


def test_paths_include_all_services():
    assert "/data/disk2/kafka" in problems_of(ROOT / "inventories" / "example", "paths")
    assert "/var/lib/docker" in problems_of(ROOT / "inventories" / "example", "paths")


def test_thirty_machines_with_every_service_take_less_than_two_seconds(tmp_path):
    inventory = copy_with(tmp_path, "example", "unused.yml")
    names = [f"node{number}.example.com" for number in range(1, 31)]
    declared = yaml.safe_load((inventory / "hosts.yml").read_text())
    for group in declared["all"]["children"].values():
        group["hosts"] = {name: {} for name in names}
    declared["all"]["children"]["metal"]["hosts"] = {
        name: {"kafka_broker_id": number, "zookeeper_server_id": number}
        for number, name in enumerate(names, start=1)
    }
    (inventory / "hosts.yml").write_text(yaml.safe_dump(declared))
    listeners = [
        {"address": "127.0.0.1", "port": p, "process": "x", "container": None, "cluster": None}
        for p in range(30000, 30100)
    ]
    begun = time.process_time()
    found = fatal(problems_of(inventory, facts={"memory": 512 * GIB, "listeners": listeners}))
    assert time.process_time() - begun < 2
    assert found == [
        "zookeeper: group: found 30 servers ("
        + ", ".join(sorted(names))
        + "); allowed: an odd number: "
        "1, 3 or 5; an even number tolerates no more failures than one less [ensemble_size]"
    ]


@pytest.mark.parametrize(
    ("page", "added"),
    [
        ("README.md", ""),
        ("docs/start/index.md", ""),
        ("docs/operate/guides/schema-registry.md", "schema-registry1: {schema_registry_id: 1}"),
    ],
)
def test_required_memory_in_the_documentation_is_that_of_preflight(tmp_path, page, added):
    """``added``: the line of a service that is off by default."""
    (documented,) = re.findall(r"([0-9]+) GiB\s+of\s+memory", (ROOT / page).read_text())
    inventory = copy_with(tmp_path, "local", "localhost.yml")
    hosts = (inventory / "hosts.yml").read_text()
    assert f"# {added}" in hosts
    (inventory / "hosts.yml").write_text(hosts.replace(f"# {added}", added) if added else hosts)

    def refused(memory: float) -> bool:
        problems = problems_of(inventory, facts={"memory": int(memory)})
        return any(each["check"] == "machine_memory" for each in problems)

    # The kernel and the firmware keep a part of the installed memory.
    assert not refused(int(documented) * GIB * 0.97)
    assert refused((int(documented) - 1) * GIB)


def test_memory_of_each_monitoring_service_counts():
    everything = {each.kind: each.memory for each in SERVICES if each.role == "monitoring"}
    assert set(everything.values()) == {f"monitoring_{kind}_memory" for kind in everything}
    (problem,) = (
        each
        for each in problems_of(ROOT / "inventories/local", facts={"memory": GIB})
        if each["check"] == "machine_memory"
    )
    # Three servers, three brokers, five Spark services, a driver and five of monitoring.
    assert "required by 17 containers" in problem["text"]


def test_applied_users_are_compared_with_declared_ones_and_service_accounts():
    inventory = ROOT / "inventories/example"
    (path,) = problems_of(inventory, "questions")[0]["applied"]
    users = {name: ["SCRAM-SHA-512"] for name in ("operator", "gone", "left")}
    state = {"number": 1, "content": {"users": users}, "defined": []}
    facts = {"applied": {path: {"state": state, "error": ""}}}
    assert [
        each["found"]
        for each in problems_of(inventory, facts=facts)
        if each["check"] == "removals_confirmed"
    ] == [
        "users: 2 of 3 applied before are no longer declared: gone: SCRAM-SHA-512, "
        "left: SCRAM-SHA-512"
    ]
