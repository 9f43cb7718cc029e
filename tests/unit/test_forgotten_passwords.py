"""Passwords of removed users are deleted from the store after the users are deleted."""

import json
import shutil

import pytest
import yaml
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.inputs_digest import (
    files_digest,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._security import store_document
from ansible_collections.metal.kafka.plugins.plugin_utils._security.vault_store import Store
from plays import BROKER, ROOT, run, with_collection

TASK = {
    "store": "{{ lookup('metal.kafka.site', 'state.store') }}",
    "password_file": "{{ lookup('metal.kafka.site', 'state.password_file') }}",
    "cluster": "{{ cluster_name }}",
}


@pytest.fixture
def remaining(tmp_path):
    """Return users with a password after a run: ``shop`` is declared, ``gone`` no longer."""
    with_collection(tmp_path)
    store, password = tmp_path / "store.vault", tmp_path / "password"
    shutil.copy(ROOT / "playbooks/internal_forget_passwords.yml", tmp_path)

    def apply(*options, mode="tls_scram", before=lambda _: None, **variables):
        given = {
            **BROKER,
            **{"cluster_name": "unit", "security_mode": mode, "kafka_content_users": {"shop": {}}},
            **{"security_store": str(store), "security_password_file": str(password)},
            **variables,
        }
        groups = {
            name: {"node1": given, "node2": {**given, "kafka_broker_id": 2}}
            for name in ("metal", "kafka")
        }
        made = {"metal.kafka.credentials": {**TASK, "passwords": ["shop", "gone"]}}
        first = [{"hosts": "kafka[0]", "gather_facts": False, "tasks": [made]}]
        code, output = run(tmp_path, first, groups)
        assert code == 0, output
        before(store)
        names = (
            ("outdate", "forget_passwords")
            if "content_parts" in variables
            else ("forget_passwords",)
        )
        plays = [{"import_playbook": f"internal_{name}.yml"} for name in names]
        code, output = run(tmp_path, plays, groups, *options)
        assert code == 0, output
        held = store_document.read(Store(str(store), str(password)).read())
        return {"shop", "gone"} & set(held.passwords)

    return apply


def test_password_of_a_removed_user_is_deleted(remaining):
    assert remaining() == {"shop"}


@pytest.mark.parametrize("options", [["--limit=node1"], ["--check"]])
def test_limited_or_dry_run_deletes_no_password(remaining, options):
    assert remaining(*options) == {"shop", "gone"}


def test_passwords_are_kept_if_users_have_certificates(remaining):
    assert remaining(mode="mtls") == {"shop", "gone"}


def test_passwords_are_deleted_only_after_content_is_applied():
    """Removing users may be refused; until then they still need their passwords."""
    imported = [
        play.get("ansible.builtin.import_playbook")
        for play in yaml.safe_load((ROOT / "playbooks/internal_content.yml").read_text())
    ]
    assert imported[-1] == "internal_forget_passwords.yml"
    purging = [
        path.name
        for path in (ROOT / "playbooks").glob("*.yml")
        if "purge_passwords:" in path.read_text()
    ]
    assert purging == ["internal_forget_passwords.yml"]


@pytest.mark.parametrize("foreign", [False, True], ids=["own change only", "foreign change before"])
def test_the_store_of_a_run_that_removed_users_is_unchanged_for_the_next_run(
    remaining, tmp_path, foreign
):
    shutil.copy(ROOT / "playbooks/internal_outdate.yml", tmp_path)
    baseline = tmp_path / "etc/.as-left/unit@node1.json"
    baseline.parent.mkdir(parents=True)

    def last_run(store):
        known = "0" * 16 if foreign else files_digest([store])
        declared = {"content": "c0", "rest": "r0", "store": known}
        baseline.write_text(json.dumps({"declared": declared}))
        return declared

    before = {}
    given = {"service_config_root": str(tmp_path / "etc"), "content_parts": ["content"]}
    assert remaining(before=lambda store: before.update(last_run(store)), **given) == {"shop"}
    after = json.loads(baseline.read_text())["declared"]
    store = before["store"] if foreign else files_digest([tmp_path / "store.vault"])
    assert after == {**before, "content": "", "store": store}
    assert foreign or store != before["store"]
