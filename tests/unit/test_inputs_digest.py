"""The digest of a run's inputs changes with every input, and with nothing else."""

from pathlib import Path

import pytest
from ansible import context
from ansible.inventory.manager import InventoryManager
from ansible.module_utils.common.collections import ImmutableDict
from ansible.parsing.dataloader import DataLoader
from ansible.utils.vars import load_options_vars
from ansible.vars.hostvars import HostVars
from ansible.vars.manager import VariableManager
from ansible_collections.metal.kafka.plugins.filter.unchanged import (
    changes_since_last_run,
    purged_store_digests,
    stopped_containers,
    to_start,
    unless_declared_before,
    unless_unchanged,
    waiting_hosts,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._operations import inputs_digest
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.site_parts import (
    CONTENT,
    MONITORING,
    PIPELINES,
    REST,
    STORE,
)

HOSTS = """
all:
  vars:
    kafka_heap: 1g
    source: {sample: SAMPLE}
    endpoints: "{{ groups['kafka'] | join(',') }}"
    kafka_content_topics: {payments: {partitions: 6}}
    kafka_content_users: {shop: {}}
    pipeline_pipelines: {fraud: {schema: fraud.csv, rate: 1}}
    monitoring_alerts: {BrokerDown: false}
  children:
    kafka:
      hosts: {node1: {id: 1}, node2: {id: 2}}
"""


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A repository, an inventory and a store; digest() covers all three."""

    class Site:
        repository, store, inventory = tmp_path / "repo", tmp_path / "store", tmp_path / "hosts.yml"
        extra = None

        def digest(self):
            loader = DataLoader()
            inventory = InventoryManager(loader=loader, sources=[str(self.inventory)])
            manager = VariableManager(loader=loader, inventory=inventory)
            manager._extra_vars = self.extra or {}
            # A fact that a task has set is not an input.
            manager.set_nonpersistent_facts("node1", {"found": str(id(self))})
            values = inputs_digest.declared_variables(HostVars(inventory, manager, loader))
            return inputs_digest.digests(values, [], self.repository, [self.store])

        def changed(self, before):
            """Parts whose digest differs."""
            return {part for part, found in self.digest().items() if found != before[part]}

    found = Site()
    (found.repository / "roles" / "a").mkdir(parents=True)
    (found.repository / "roles" / "a" / "main.yml").write_text("a: 1\n")
    (found.repository / "versions.yml").write_text("kafka: 3.9.2\n")
    found.store.mkdir()
    (found.store / "vault.yml").write_text("secret")
    (found.repository / "sample.csv").write_text("a,b\n")
    (found.repository / "fraud.csv").write_text("a,b\n")
    # Working directory of the run.
    monkeypatch.chdir(found.repository)
    found.inventory.write_text(HOSTS.replace("SAMPLE", "sample.csv"))
    return found


def test_same_declarations_have_the_same_digest(site):
    assert site.digest() == site.digest()


def change_variable(site):
    site.inventory.write_text(HOSTS.replace("1g", "2g"))


def change_host_variable(site):
    site.inventory.write_text(HOSTS.replace("id: 2", "id: 3"))


def add_host(site):
    site.inventory.write_text(HOSTS.replace("{id: 2}}", "{id: 2}, node3: {id: 3}}"))


def change_role_file(site):
    Path(site.repository, "roles", "a", "main.yml").write_text("a: 2\n")


def add_role_file(site):
    Path(site.repository, "roles", "a", "other.yml").write_text("")


def change_version(site):
    Path(site.repository, "versions.yml").write_text("kafka: 3.9.3\n")


def change_key(site):
    Path(site.store, "vault.yml").write_text("other secret")


def change_sample_file(site):
    Path(site.repository, "sample.csv").write_text("c,d\n")


def add_extra_variable(site):
    site.extra = {"kafka_heap": "4g"}


@pytest.mark.parametrize(
    "change",
    [
        *(change_variable, change_host_variable, add_host, change_role_file, add_role_file),
        *(change_version, change_sample_file, add_extra_variable),
    ],
)
def test_changed_input_changes_the_digest(site, change):
    before = site.digest()
    change(site)
    assert REST in site.changed(before)


def test_the_secret_store_has_its_own_digest(site):
    before = site.digest()
    change_key(site)
    assert site.changed(before) == {STORE}
    last = machines(a={**UNCHANGED, "declared": before})
    changes = changes_since_last_run(["a"], last, site.digest())
    assert changes["parts"] == [REST]
    assert "keys or passwords of the secret store have changed" in changes["reasons"][0]


@pytest.mark.parametrize(
    "name",
    ["kafka_content_confirm_delete", "kafka_content_confirm_removal", "pipeline_confirm_removal"],
)
def test_a_confirmation_is_no_change(site, name):
    before = site.digest()
    site.extra = {name: ["users"]}
    assert site.changed(before) == set()


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("partitions: 6", "partitions: 9", {CONTENT}),
        ("{shop: {}}", "{shop: {}, bank: {}}", {CONTENT}),
        ("rate: 1", "rate: 2", {PIPELINES}),
        ("fraud: {", "abuse: {", {PIPELINES, MONITORING}),
        ("{BrokerDown: false}", "{}", {MONITORING}),
        # A variable of another name determines what hosts get.
        ("kafka_heap: 1g", 'kafka_heap: "{{ kafka_content_topics | length }}g"', {CONTENT, REST}),
    ],
)
def test_a_variable_of_a_part_changes_only_its_digest(site, old, new, parts):
    before = site.digest()
    text = site.inventory.read_text()
    assert old in text
    site.inventory.write_text(text.replace(old, new))

    assert site.changed(before) == parts


def test_a_variable_that_another_one_names_belongs_to_the_rest(site):
    text = site.inventory.read_text().replace("1g", '"{{ hostvars.node1.kafka_content_topics }}"')
    site.inventory.write_text(text)
    before = site.digest()
    site.inventory.write_text(text.replace("partitions: 6", "partitions: 9"))

    assert site.changed(before) == {REST}


def test_the_sample_of_a_pipeline_changes_its_digest(site):
    before = site.digest()
    Path(site.repository, "fraud.csv").write_text("c,d\n")

    assert site.changed(before) == {PIPELINES}


def test_tags_change_the_rest(site):
    values = {"node1": {}}
    found = [
        inputs_digest.digests(values, tags, site.repository, []) for tags in (["all"], ["access"])
    ]
    assert {part for part in found[0] if found[0][part] != found[1][part]} == {REST}


def test_files_without_influence_do_not_change_the_digest(site):
    before = site.digest()
    (site.repository / "README.md").write_text("text")
    (site.repository / "roles" / "__pycache__").mkdir()
    (site.repository / "roles" / "__pycache__" / "a.pyc").write_text("compiled")
    assert site.digest() == before


@pytest.mark.parametrize(
    "how",
    [{"check": True}, {"verbosity": 3}, {"diff": True}, {"forks": 50}, {"skip_tags": ("b", "a")}],
)
def test_options_of_the_output_do_not_change_the_digest(site, monkeypatch, how):
    before = site.digest()
    monkeypatch.setattr(context, "CLIARGS", ImmutableDict(how))
    # Ansible caches these options.
    monkeypatch.setattr(load_options_vars, "options_vars", None)
    assert site.digest() == before


def machines(**baseline):
    return {
        name: {"preflight_machine": {"facts": {"baseline": each} if each else {}}}
        for name, each in baseline.items()
    }


DECLARED = {"content": "c1", "pipelines": "p1", "rest": "r1", "settings": "s1"}
NOTHING = {"parts": [], "reasons": []}
UNCHANGED = {"declared": DECLARED, "differs": [], "stopped": {}}
STOPPED = {
    **UNCHANGED,
    "stopped": {"x-zk1": "zookeeper", "x-kafka1": "kafka_broker", "x-probe1": "probe"},
}


def test_unchanged_machines_are_not_compared():
    assert (
        changes_since_last_run(["a", "b"], machines(a=UNCHANGED, b=UNCHANGED), DECLARED) == NOTHING
    )


@pytest.mark.parametrize(
    ("baseline", "part", "expected"),
    [
        (None, REST, "b: no complete run of it is known"),
        ({"declared": {}}, REST, "b: no complete run of it is known"),
        # Of an earlier release.
        ({"declared": ["d1", "s1"]}, REST, "b: no complete run of it is known"),
        (
            {"declared": DECLARED | {"rest": "r0"}},
            REST,
            "b: declarations of hosts, brokers or Spark have changed",
        ),
        ({"declared": DECLARED | {"settings": "s0"}}, REST, "b: live settings of brokers have"),
        ({"declared": DECLARED | {"content": ""}}, CONTENT, "b: declared topics, users, ACLs or"),
        ({"declared": DECLARED | {"pipelines": "p0"}}, PIPELINES, "b: declared pipelines have"),
        ({"differs": ["file x is gone"]}, REST, "b: file x is gone"),
        ({"stopped": {"x-zk1": "zookeeper"}}, REST, "b: container x-zk1 is stopped"),
    ],
)
def test_one_changed_machine_is_reported(baseline, part, expected):
    found = machines(a=UNCHANGED, b=baseline and UNCHANGED | baseline)
    changes = changes_since_last_run(["a", "b"], found, DECLARED)
    assert changes["parts"] == [part]
    (reason,) = changes["reasons"]
    assert reason.startswith(expected)


def test_many_reasons_are_counted():
    differs = {**UNCHANGED, "differs": [f"file {number} is gone" for number in range(9)]}
    found = changes_since_last_run(["a"], machines(a=differs), DECLARED)
    assert found["reasons"][-1] == "and 4 more"


def test_stopped_containers_are_started_without_comparison():
    found = machines(a=STOPPED, b=UNCHANGED)
    declared = {part: DECLARED[part] for part in ("content", "pipelines", "rest")}
    assert changes_since_last_run(["a", "b"], found, declared, stopped=False) == NOTHING
    assert stopped_containers(["a", "b"], found) == {"a": STOPPED["stopped"]}


def test_stopped_containers_start_by_kind():
    hostvars = {"a": {"site_stopped": {"a": STOPPED["stopped"]}}}
    kinds = ["zookeeper", "kafka_broker"]
    assert to_start(["a", "b"], hostvars, kinds[:1]) == {"a": ["x-zk1"]}
    assert to_start(["a", "b"], hostvars, kinds, others=True) == {"a": ["x-probe1"]}
    # No decision was made yet, or the machines were not read yet.
    for nothing in ({"a": {"site_stopped": {}}}, {"a": {}}, {}):
        assert to_start(["a", "b"], nothing, kinds) == {}


def seen(**baseline):
    return {"preflight_machine": {"facts": {"baseline": baseline}}}


WELL = seen(unhealthy=[], stopped={})


def test_plays_have_hosts_unless_the_site_is_unchanged():
    unchanged, changed = {"a": {"site_unchanged": True}}, {"a": {"site_unchanged": False}}
    assert unless_unchanged(["a", "b"], unchanged) == []
    # Without facts of the machines, as in a verb that restarts one service.
    for hostvars in (changed, {"a": {}}, {}):
        assert unless_unchanged(["a", "b"], hostvars) == ["a", "b"]
        assert waiting_hosts(["a", "b"], hostvars, ["a"]) == ["a", "b"]


def test_plays_have_hosts_if_their_part_changed():
    hostvars = {"a": {"site_unchanged": False, "site_parts": [CONTENT]} | WELL}
    hosts = ["a", "b"]
    assert unless_unchanged(hosts, hostvars) == []
    assert unless_unchanged(hosts, hostvars, PIPELINES) == []
    assert unless_unchanged(hosts, hostvars, CONTENT, PIPELINES) == hosts
    assert waiting_hosts(hosts, hostvars, ["a"]) == []
    assert waiting_hosts(hosts, hostvars, ["a"], CONTENT) == hosts
    everything = {"a": {"site_unchanged": False, "site_parts": [REST]} | WELL}
    assert unless_unchanged(hosts, everything, PIPELINES) == hosts
    assert waiting_hosts(hosts, everything, ["a"]) == hosts


@pytest.mark.parametrize(
    ("machine", "waiting"),
    [
        (WELL, []),
        (seen(unhealthy=["x-kafka1"], stopped={}), ["a", "b"]),
        (seen(unhealthy=[], stopped={"x-kafka1": "kafka_broker"}), ["a", "b"]),
        (seen(stopped={}), ["a", "b"]),
        ({}, ["a", "b"]),
    ],
)
def test_hosts_wait_for_unchanged_services_that_were_not_healthy(machine, waiting):
    hostvars = {"a": {"site_unchanged": True} | WELL, "b": machine}
    assert waiting_hosts(["a", "b"], hostvars, ["a", "b"]) == waiting
    # No report follows, which would read their state.
    assert waiting_hosts(["a", "b"], hostvars, []) == ["a", "b"]


def test_nobody_waits_for_an_empty_group():
    assert waiting_hosts([], {}, ["a"]) == []


@pytest.mark.parametrize(
    ("broker", "digests"),
    [
        ({"content_forgotten": {"digests": ["s1", "s2"]}}, ["s1", "s2"]),
        ({"content_forgotten": {"digests": []}}, []),
        ({"content_forgotten": {"skipped": True}}, []),
        ({}, []),
        (None, []),
    ],
)
def test_digests_of_the_store_are_known_if_the_run_has_deleted_passwords(broker, digests):
    hostvars = {} if broker is None else {"k1": broker}
    assert purged_store_digests({**hostvars, "k2": {}}, ["k1", "k2"]) == digests


@pytest.mark.parametrize(
    ("machines", "selected"),
    [
        ([{"pipelines": "p1", "rest": "r1"}, {"pipelines": "p1", "rest": "r1", "store": "s1"}], []),
        ([{"pipelines": "p1", "rest": "r1"}, {"pipelines": "p2", "rest": "r1"}], ["d1", "d2"]),
        ([{"pipelines": "p1", "rest": "r1"}, {"pipelines": "p1", "rest": "r2"}], ["d1", "d2"]),
        # An interrupted run has outdated the part.
        ([{"pipelines": "", "rest": "r1"}], ["d1", "d2"]),
        # A machine without a baseline, and one that --limit leaves out.
        ([{"pipelines": "p1", "rest": "r1"}, {}], ["d1", "d2"]),
        ([{"pipelines": "p1", "rest": "r1"}, None], ["d1", "d2"]),
        ([], ["d1", "d2"]),
    ],
)
def test_hosts_are_left_out_if_all_machines_had_the_same_declarations(machines, selected):
    declared = {"pipelines": "p1", "rest": "r1"}
    hostvars = {
        str(number): {} if digests is None else {"outdated_baseline": {"declared": digests}}
        for number, digests in enumerate(machines)
    } | {"d1": {"site_declared": declared}}
    names = [str(number) for number in range(len(machines))]
    assert unless_declared_before(["d1", "d2"], hostvars, names, PIPELINES) == selected
    assert unless_declared_before([], hostvars, names, PIPELINES) == []
    # The run has not computed its digests.
    hostvars["d1"] = {}
    assert unless_declared_before(["d1", "d2"], hostvars, names, PIPELINES) == ["d1", "d2"]
