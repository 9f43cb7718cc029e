"""Removals of applied content and of drivers are refused before a run changes anything."""

from typing import Any

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._content import applied_file
from ansible_collections.metal.kafka.plugins.plugin_utils._preflight.checks import (
    wanted_applied_files,
)
from preflight_sites import Faults, ValidSite, validated

APPLIED_FILE = "/var/lib/kafka-metal/applied/prod-1.json"
DEFINED = ["kafka_content_topics", "kafka_content_users"]
CHECKS = ("removals_confirmed", "applied_states")


def applied(number: int = 1, defined: list[str] | None = None, **content: Any):
    """Return a function that plants an applied state on the machine of the second broker."""

    def plant(site: ValidSite) -> None:
        for host in site.hosts.values():
            host["security_mode"] = "plain"
        for host in site.groups["kafka"]:
            site.hosts[host]["kafka_content_applied_file"] = APPLIED_FILE
            site.hosts[host].setdefault("kafka_content_users", {})
        state = {"number": number, "content": content, "defined": defined or DEFINED}
        site.facts["m2"]["applied"] = {APPLIED_FILE: {"state": state, "error": ""}}

    return plant


def both(*plants):
    return lambda site: [plant(site) for plant in plants] and None


def broker(variable: str, value: Any):
    return lambda site: [site.hosts[h].update({variable: value}) for h in site.groups["kafka"]]


def drivers(*names: str):
    """Return a function that plants containers of drivers on the machine of the driver."""
    found = {"pipeline": [f"pipeline-{name}" for name in names]}
    return lambda site: site.facts["m1"].update(instances=found)


def undefine(site: ValidSite) -> None:
    for host in site.groups["kafka"]:
        del site.hosts[host]["kafka_content_users"]


def unreadable(site: ValidSite) -> None:
    applied()(site)
    error = f"{APPLIED_FILE}: found no JSON; allowed: a file that a run has written, or no file"
    site.facts["m2"]["applied"][APPLIED_FILE] = {"state": {}, "error": error}


USERS = {"alice": ["SCRAM-SHA-512"], "bob": ["SCRAM-SHA-512"]}
ACL = {
    **{"principal": "User:alice", "resource_type": "topic", "resource": "payments"},
    **{"operation": "read", "pattern": "literal", "permission": "allow", "host": "*"},
}

FAULTS: Faults = {
    "users that are no longer declared": (
        applied(users=USERS),
        ["kafka: kafka_content_users: found users: 2 of 2 applied before are no longer declared: "
         "alice: SCRAM-SHA-512, bob: SCRAM-SHA-512; allowed: declare them again, or confirm the "
         "removal (to confirm: ARGS=\"-e '{kafka_content_confirm_removal: [users]}'\")"],
    ),
    "ACLs that are no longer declared": (
        applied(acls=[ACL]),
        ["kafka: kafka_content_users: found acls: 1 of 1 applied before are no longer declared"],
    ),
    "quotas that are no longer declared": (
        applied(quotas=[{"user": "alice", "keys": ["producer_byte_rate"]}]),
        ["kafka: kafka_content_users: found quotas: 1 of 1 applied before"],
    ),
    "keys of topics that are no longer declared": (
        applied(topics={"payments": ["segment.ms"]}),
        ["kafka: kafka_content_topics: found topics: 1 of 1 applied before", "segment.ms"],
    ),
    "a variable that is no longer defined": (
        both(applied(users=USERS), undefine, broker("kafka_content_confirm_removal", "users")),
        ["all: kafka_content_users: found users: no longer declared", "does not define "
         "kafka_content_users any more; allowed: define it (empty to declare nothing)"],
    ),
    "pipelines that are no longer declared": (
        drivers("payments", "old", "older"),
        ["pipeline: pipeline_pipelines: found pipelines: 2 of 3 applied before are no longer "
         "declared: old, older; allowed: declare them again, or confirm the removal (to confirm: "
         "ARGS=\"-e '{pipeline_confirm_removal: true}'\")"],
    ),
    "an applied state that cannot be read": (
        unreadable,
        [f"kafka2: {APPLIED_FILE}: found no JSON; allowed: a file that a run has written"],
    ),
}  # fmt: skip


def problems(site: ValidSite) -> list[str]:
    """Return the problems of these checks; other checks refuse the site without security."""
    return [str(each) for each in validated(site) if each.check in CHECKS]


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_reported_once(name):
    plant, parts = FAULTS[name]
    site = ValidSite()
    plant(site)
    found = problems(site)
    assert len(found) == 1, found
    assert all(part in found[0] for part in parts), found


def test_one_confirmation_covers_content_and_pipelines():
    site = ValidSite()
    applied(users=USERS, acls=[ACL])(site)
    drivers("old")(site)
    hint = "{kafka_content_confirm_removal: [users, acls], pipeline_confirm_removal: true}"
    found = problems(site)
    assert len(found) == 3
    assert all(hint in line for line in found)


def test_the_confirmation_has_the_topics_that_the_run_would_delete():
    """The cluster would refuse them next."""
    site = ValidSite()
    applied(users=USERS)(site)
    broker("kafka_content_absent", {"topics": ["old", "older"]})(site)
    broker("kafka_content_confirm_delete", ["older"])(site)
    hint = "[users], kafka_content_confirm_delete: [old, older]}"
    assert hint in problems(site)[0]


@pytest.mark.parametrize(
    "plant",
    [
        applied(users={}),
        both(applied(users=USERS), broker("kafka_content_confirm_removal", ["users"])),
        both(
            applied(users=USERS, acls=[ACL]), broker("kafka_content_confirm_removal", "users,acls")
        ),
        both(applied(users=USERS), broker("kafka_content_partial_run", True)),
        both(applied(users=USERS), broker("kafka_content_users", {"alice": {}})),
        # Topics are kept with their records.
        applied(topics={"gone": ["retention.ms"]}),
        drivers("payments", "old"),
        both(
            drivers("old"), lambda site: site.hosts["driver1"].update(pipeline_confirm_removal=True)
        ),
        # Without the engine, not all drivers are known.
        both(drivers("old"), lambda site: site.facts["m1"].update(engine=None)),
    ],
)
def test_allowed_removals_are_accepted(plant):
    site = ValidSite()
    plant(site)
    assert problems(site) == []


def test_the_newest_applied_state_counts():
    site = ValidSite()
    applied(number=5, users={})(site)
    older = {"number": 4, "content": {"users": USERS}, "defined": DEFINED}
    site.facts["m1"]["applied"] = {APPLIED_FILE: {"state": older, "error": ""}}
    assert problems(site) == []


def test_files_with_applied_content_are_read_on_machines():
    site = ValidSite()
    applied()(site)
    assert wanted_applied_files(site.hosts, site.groups) == [APPLIED_FILE]


def test_a_damaged_file_has_an_error_and_a_missing_one_none(tmp_path):
    path = tmp_path / "applied.json"
    assert applied_file.describe_applied(str(path)) == {"state": {}, "error": ""}
    path.write_text("{")
    found = applied_file.describe_applied(str(path))
    assert found["state"] == {}
    assert found["error"].startswith(f"{path}: found ")
    assert "; allowed: a file that a run has written" in found["error"]
    path.write_text('{"number": 3}')
    assert applied_file.describe_applied(str(path)) == {"state": {"number": 3}, "error": ""}
