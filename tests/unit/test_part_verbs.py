"""Verbs that apply a part of the site: order, refusals, and the baseline that they leave."""

import base64
import json
import os
import re
import subprocess
import sys

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.part_screen import part_screen
from plays import ENTRY_DEFAULTS, ROOT, entries, with_printing_roles

BEFORE = {"content": "c0", "pipelines": "p0", "monitoring": "m0", "rest": "r0",
          "store": "s0"}  # fmt: skip
LOCK = "roll/lock/@kafka1"
# No task has read the machines.
NOTE = "[missing_facts]"
DECLARED = "monitoring/write_declared_content/@monitor1"


# Only the digests of a baseline: no engine has to list containers.
BASELINE = """#!/usr/bin/python
import json, os
from ansible.module_utils.basic import AnsibleModule
options = {
    **dict.fromkeys(("cluster", "baseline_file", "state", "socket"), {"type": "str"}),
    **dict.fromkeys(("declared", "others"), {"type": "dict", "default": {}}),
}
module = AnsibleModule({**options, "kinds": {"type": "list"}})
if not os.path.exists(module.params["baseline_file"]):
    module.exit_json(declared={})
with open(module.params["baseline_file"]) as file:
    before = json.load(file)["declared"]
if module.params["others"].items() <= before.items():
    with open(module.params["baseline_file"], "w") as file:
        json.dump({"declared": {**before, **module.params["declared"]}}, file)
module.exit_json(declared=before)
"""


class Verb:
    """Runs a playbook on the local inventory with roles that only print."""

    def __init__(self, folder, modules=None):
        self.folder = folder
        self.playbooks = with_printing_roles(folder, modules=modules)
        self.baseline = folder / "etc/.as-left/local@localhost.json"
        self.baseline.parent.mkdir(parents=True)
        self.baseline.write_text(json.dumps({"declared": BEFORE}))

    def run(self, playbook, *options, **variables):
        """Exit code, output, and entries of roles on the first broker and on hosts of pipelines."""
        given = ENTRY_DEFAULTS | {
            "ansible_become": False,
            "ansible_python_interpreter": sys.executable,
            "kafka_metal_state": str(self.folder / "state"),
            "service_config_root": str(self.folder / "etc"),
            "security_mode": "plain",
            **variables,
        }
        settings = {"ANSIBLE_COLLECTIONS_PATH": str(self.folder), "ANSIBLE_GATHERING": "explicit"}
        done = subprocess.run(
            [
                *("ansible-playbook", f"--inventory={ROOT}/inventories/local"),
                *(f"-e{json.dumps(given)}", *options, f"{self.playbooks}/{playbook}.yml"),
            ],
            cwd=self.folder,
            env=os.environ | settings,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        output = done.stdout + done.stderr
        ran = [each for each in entries(output) if each.endswith(("@kafka1", "@driver1"))]
        return done.returncode, output, ran

    def declared(self):
        return json.loads(self.baseline.read_text())["declared"]

    def is_complete(self):
        """Let the last complete run have had the rest and the store of this one."""
        store = "lookup('metal.kafka.site', 'state.store')"
        text = f"DIGESTS {{{{ lookup('metal.kafka.declared', {store}) | to_json | b64encode }}}}."
        task = {"ansible.builtin.debug": {"msg": text}}
        play = {"hosts": "kafka1", "gather_facts": False, "tasks": [task]}
        (self.playbooks / "rest.yml").write_text(json.dumps([play]))
        _, output, _ = self.run("rest")
        (found,) = re.findall(r"DIGESTS (\S+)\.", output)
        digests = json.loads(base64.b64decode(found))
        before = BEFORE | {part: digests[part] for part in ("rest", "store")}
        self.baseline.write_text(json.dumps({"declared": before}))
        return before


@pytest.fixture
def verb(tmp_path):
    return Verb(tmp_path)


def test_topics_are_applied_under_the_lock(verb):
    before = verb.is_complete()
    code, output, ran = verb.run("topics")

    assert code == 0, output
    # Until the operation ends, the page reports differences as notes.
    order = (LOCK, "kafka_content/main/@kafka1", DECLARED, "roll/unlock/@kafka1")
    every = entries(output)
    places = [every.index(each) for each in order]
    assert places == sorted(places)
    # Each host does each step once, however many hosts there are.
    assert len(every) == len(set(every))
    assert [each for each in ran if each.startswith(("pipeline/main", "service/"))] == []
    after = verb.declared()
    assert len(after.pop("content")) == 16
    assert after == {part: digest for part, digest in before.items() if part != "content"}
    assert "Not applied, changed since the last complete run:" in output


def test_drivers_are_listed_only_if_pipelines_may_have_changed(tmp_path):
    verb = Verb(tmp_path, {"machine_baseline": BASELINE})
    verb.is_complete()
    find = "pipeline/find_undeclared/@driver1"

    # Digests of the last complete run are invented.
    for _ in range(2):
        assert find in verb.run("topics")[2]
    code, output, _ = verb.run("pipelines")
    assert code == 0, output
    assert find not in verb.run("topics")[2]
    assert find not in verb.run("topics", kafka_content_quotas=[])[2]
    assert find in verb.run("topics", pipeline_pipelines={})[2]
    # Values of pipelines may have templates with other variables.
    assert find in verb.run("topics", kafka_broker_image="other")[2]
    verb.baseline.unlink()
    assert find in verb.run("topics")[2]


@pytest.mark.parametrize("changed", ["rest", "store"])
def test_a_part_is_compared_again_if_the_rest_or_the_store_has_changed(verb, changed):
    before = verb.is_complete() | {changed: "0" * 16}
    verb.baseline.write_text(json.dumps({"declared": before}))
    code, output, _ = verb.run("topics")

    assert code == 0, output
    # Its values may have templates with variables of the rest, and passwords of the store.
    assert verb.declared() == before | {"content": ""}


def test_passwords_of_removed_users_are_no_other_store(verb):
    """The run deletes them from the store, and has replaced its digest in the baseline."""
    facts = {
        "content_forgotten": {"digests": ["s0", "s1"]},
        "site_declared": {"content": "c1", "rest": "r0", "store": "s0"},
    }
    task = {"ansible.builtin.set_fact": facts}
    end = {"ansible.builtin.import_playbook": "internal_part_end.yml"}
    plays = [
        {"hosts": "all", "gather_facts": False, "tasks": [task]},
        end | {"vars": {"part_recorded": ["content"]}},
    ]
    (verb.playbooks / "ending.yml").write_text(json.dumps(plays))
    verb.baseline.write_text(json.dumps({"declared": BEFORE | {"store": "s1"}}))

    code, output, _ = verb.run("ending")
    assert code == 0, output
    assert verb.declared() == BEFORE | {"store": "s1", "content": "c1"}


def test_a_run_that_leaves_out_monitoring_hosts_reports_that_their_page_is_outdated(verb):
    names = ("internal_begin", "internal_declared_content")
    plays = [{"ansible.builtin.import_playbook": f"{name}.yml"} for name in names]
    (verb.playbooks / "limited.yml").write_text(json.dumps(plays))
    message = "page on monitor1 compares topics with their old declaration"
    changed = {"__kafka_content_result": {"steps": ["create topic a"]}}

    code, output, _ = verb.run("limited", "--limit=kafka1,localhost", **changed)
    assert code == 0, output
    assert message in " ".join(output.split())
    assert DECLARED not in entries(output)

    code, output, _ = verb.run("limited", "--limit=kafka1,localhost")
    assert code == 0, output
    assert message not in " ".join(output.split())

    code, output, _ = verb.run("limited", **changed)
    assert DECLARED in entries(output)
    assert message not in " ".join(output.split())


def test_a_run_of_the_site_counts_notes_of_preflight_and_a_plan_lists_them(verb):
    imported = {"ansible.builtin.import_playbook": "internal_declarations.yml"}
    site = [{**imported, "vars": {"preflight_brief": True}}]
    (verb.playbooks / "brief.yml").write_text(json.dumps(site))
    (verb.playbooks / "whole.yml").write_text(json.dumps([imported]))
    assert "{preflight_brief: true}" in (verb.playbooks / "site.yml").read_text()

    def printed(playbook, *options):
        code, output, _ = verb.run(playbook, *options)
        assert code == 0, output
        return [each for each in output.splitlines() if "preflight: " in each or NOTE in each]

    brief = printed("brief")
    assert len(brief) == 1
    assert "(make preflight)" in brief[0]
    assert len(printed("brief", "--check")) > 1
    assert len(printed("whole")) > 1


def test_invalid_topics_take_no_lock_and_keep_the_baseline(verb):
    code, output, ran = verb.run("topics", kafka_content_topics={"a": {"partitions": 0}})

    assert code != 0
    assert "kafka_content_topics.a.partitions" in output
    assert LOCK not in ran
    assert verb.declared() == BEFORE


def test_interrupted_topics_outdate_their_part(verb):
    code, _, ran = verb.run("topics", fails="kafka_content/main")

    assert code != 0
    assert LOCK in ran
    assert verb.declared() == BEFORE | {"content": ""}


def test_a_dry_run_takes_no_lock_and_keeps_the_baseline(verb):
    code, output, ran = verb.run("topics", "--check")

    assert code == 0, output
    assert LOCK not in ran
    assert DECLARED not in entries(output)
    assert verb.declared() == BEFORE


def test_pipelines_are_checked_before_the_lock_and_started_under_it(verb):
    (verb.folder / "etc/.as-left/local@localhost.json").unlink()
    code, output, ran = verb.run("pipelines")

    assert code == 0, output
    order = ["pipeline/statements/@driver1", LOCK, "kafka_content/main/@kafka1"]
    order += ["pipeline/main/apply@driver1", "pipeline/health/@driver1", "roll/unlock/@kafka1"]
    places = [ran.index(each) for each in order]
    assert places == sorted(places)
    assert "The last complete run is unknown: `make up` compares everything." in output


def test_a_new_name_of_a_pipeline_is_applied_to_monitoring_before_its_driver_starts(tmp_path):
    verb = Verb(tmp_path, {"machine_baseline": BASELINE})
    before = verb.is_complete()
    code, output, _ = verb.run("pipelines")

    assert code == 0, output
    prometheus, driver = "monitoring/main/apply@monitor1", "pipeline/main/apply@driver1"
    every = entries(output)
    assert every.index(LOCK) < every.index(prometheus) < every.index(driver)
    assert "monitoring/main/apply@localhost" in every
    after = verb.declared()
    assert [part for part in before if after[part] == before[part]] == ["rest", "store"]
    assert "since the last complete run" not in output

    # The names are known now.
    code, output, _ = verb.run("pipelines", pipelines_name="payments")
    assert code == 0, output
    assert driver in entries(output)
    assert prometheus not in entries(output)
    # With one pipeline the others were not compared.
    assert verb.declared() == after | {"pipelines": ""}


def test_names_of_pipelines_are_compared_again_after_a_failure(verb):
    code, output, _ = verb.run("pipelines", fails="monitoring/main/apply@monitor1")

    assert code != 0
    assert "pipeline/main/apply@driver1" not in entries(output)
    assert verb.declared() == BEFORE | {"content": "", "pipelines": "", "monitoring": ""}


def test_an_undeclared_pipeline_is_refused(verb):
    code, output, ran = verb.run("pipelines", pipelines_name="other")

    assert code != 0
    assert "pipelines_name (P= of make): found other; allowed, as declared:" in output
    assert ran == []


@pytest.mark.parametrize("name", ["topics", "pipelines"])
def test_a_part_is_applied_as_a_whole(verb, name):
    code, output, ran = verb.run(name, "--limit=kafka1")

    assert code != 0
    assert "--limit: found kafka1; allowed: none" in output
    assert ran == []


@pytest.mark.parametrize(
    ("steps", "dry", "text"),
    [
        (["create a: 1 partition"], False, "Changed:\n  create a: 1 partition\n"),
        (["create \x1b[2J"], True, "Would change:\n  create ?[2J\n"),
        ([], False, "Nothing to change: the cluster is as declared.\n"),
    ],
)
def test_the_screen_has_the_changes(steps, dry, text):
    screen = part_screen(steps, [BEFORE], BEFORE, ["content"], dry)

    assert "\x1b" not in screen
    assert screen == text or dry


def test_the_screen_names_other_changed_parts():
    machines = [BEFORE, BEFORE | {"monitoring": "m1"}]
    screen = part_screen([], machines, BEFORE | {"content": "c1"}, ["content"], False)

    assert "complete run: declared alerts, receivers or names of pipelines. `make plan`" in screen
