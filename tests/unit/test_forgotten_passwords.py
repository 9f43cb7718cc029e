"""Passwords of users that are gone leave the store, once the cluster has forgotten the users."""

import shutil

import pytest
import yaml
from ansible_collections.metal.kafka.plugins.plugin_utils._security import store_document
from ansible_collections.metal.kafka.plugins.plugin_utils._security.vault_store import Store
from plays import BROKER, ROOT, run, with_collection

TASK = {
    "store": "{{ lookup('metal.kafka.site', 'state.store') }}",
    "password_file": "{{ lookup('metal.kafka.site', 'state.password_file') }}",
    "cluster": "{{ cluster_name }}",
}


@pytest.fixture
def left(tmp_path):
    """Users whose password the store has after a run; ``shop`` is declared, ``gone`` was."""
    with_collection(tmp_path)
    store, password = tmp_path / "store.vault", tmp_path / "password"
    shutil.copy(ROOT / "playbooks/internal_forget_passwords.yml", tmp_path)

    def apply(*words, mode="tls_scram", **variables):
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
        code, said = run(tmp_path, first, groups)
        assert code == 0, said
        code, said = run(
            tmp_path, [{"import_playbook": "internal_forget_passwords.yml"}], groups, *words
        )
        assert code == 0, said
        held = store_document.read(Store(str(store), str(password)).read())
        return {"shop", "gone"} & set(held.passwords)

    return apply


def test_the_password_of_a_user_that_is_gone_is_deleted(left):
    assert left() == {"shop"}


@pytest.mark.parametrize("words", [["--limit=node1"], ["--check"]])
def test_a_run_that_removes_no_user_deletes_no_password(left, words):
    assert left(*words) == {"shop", "gone"}


def test_where_users_have_certificates_the_way_back_keeps_passwords(left):
    assert left(mode="mtls") == {"shop", "gone"}


def test_they_are_deleted_after_the_content_was_applied_and_nowhere_else():
    """A removal may be refused, and a lost file of declarations is: their users still come in."""
    imported = [
        play.get("ansible.builtin.import_playbook")
        for play in yaml.safe_load((ROOT / "playbooks/topics.yml").read_text())
    ]
    assert imported[-1] == "internal_forget_passwords.yml"
    purging = [
        path.name for path in (ROOT / "playbooks").glob("*.yml") if "purge" in path.read_text()
    ]
    assert purging == ["internal_forget_passwords.yml"]
