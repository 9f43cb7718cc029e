"""Names of an earlier release: variables are refused by every verb, locks are recognised."""

import os
from dataclasses import replace

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._host import operation_lock
from ansible_collections.metal.kafka.plugins.plugin_utils._site import renamed_variables
from plays import ENTRY_DEFAULTS, ansible_playbook, entries, with_printing_roles

ME = operation_lock.lock_owner(os.getpid())
DEAD = replace(ME, node="control2", pid=7)


@pytest.mark.parametrize("playbook", ["secure", "restart", "down", "status", "verify"])
@pytest.mark.parametrize("place", ["group", "extra"])
def test_verbs_refuse_a_variable_of_an_earlier_release(tmp_path, playbook, place):
    variables = ENTRY_DEFAULTS | {"cluster_name": "unit"}
    arguments = ["-esecurity_closing=both"] if place == "extra" else []
    if place == "group":
        variables |= {"security_closing": "both"}
    hosts = {f"kafka{number}": variables for number in (1, 2)}
    folder = with_printing_roles(tmp_path)

    site = {"metal": hosts, "kafka": hosts}
    code, output = ansible_playbook(tmp_path, site, f"{folder}/{playbook}.yml", *arguments)

    assert code != 0
    assert entries(output) == []
    expected = (
        "security_closing: found a variable of an earlier release; allowed: security_migration"
    )
    assert expected in " ".join(output.split())


def test_current_variables_are_not_refused():
    assert renamed_variables.messages(["security_migration", "cluster_name"]) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("restart of ensemble", "restart of zookeeper"),
        ("closing", "secure"),
        ("upgrade", "upgrade"),
    ],
)
def test_operation_of_an_earlier_release_is_resumed(tmp_path, old, new):
    path = str(tmp_path / "locks/test.json")
    parameters = {"operation": old, "replace": "", "unlock": ""}
    operation_lock.acquire(path, "test", parameters, DEAD)

    resuming = {"operation": new, "replace": DEAD.token, "unlock": ""}
    result = operation_lock.acquire(path, "test", resuming, ME)

    assert (result["acquired"], result["resumed"]) == (True, True)
