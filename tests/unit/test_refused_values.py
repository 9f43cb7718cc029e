"""An invalid value of a command fails the run before any task, also with --limit."""

import pytest
from plays import ENTRY_DEFAULTS, ansible_playbook, entries, with_printing_roles

GIVEN = ENTRY_DEFAULTS | {"cluster_name": "unit"}
HOSTS = {f"kafka{number}": GIVEN for number in (1, 2)}
SITE = {"metal": HOSTS, "kafka": HOSTS, "zookeeper": {"kafka1": GIVEN}}


@pytest.fixture
def ran(tmp_path):
    """Return exit code, output and executed entries of a playbook whose roles only print."""
    folder = with_printing_roles(tmp_path)

    def run(name, *options):
        code, output = ansible_playbook(tmp_path, SITE, f"{folder}/{name}.yml", *options)
        return code, output, entries(output)

    return run


@pytest.mark.parametrize(
    ("playbook", "options", "message"),
    [
        (
            "restart",
            ["-erestart_services=kafka1"],
            "found 'kafka1'; allowed: zookeeper, kafka, schema_registry, all",
        ),
        (
            "restart",
            ["-erestart_services="],
            "found ''; allowed: zookeeper, kafka, schema_registry, all",
        ),
        ("rotate", ["-erotate_what=password"], "is password; allowed: certificates"),
        ("zookeeper_trust", ["-esecurity_ensemble_trust=owns"], "is owns; allowed: own"),
        ("plan", [], "a plan needs check mode"),
        *(
            (each, [], "found kafka2; allowed: none, because the result covers all hosts together")
            for each in (
                *("verify", "replicas", "versions", "status", "support", "export", "groups"),
                "access",
            )
        ),
        ("disk_drain", ["-edisk_host=kafka9"], "Found host kafka9, disk none"),
        ("disk_reserve", ["-edisk_host=kafka9"], "Found host kafka9, disk none"),
    ],
)
def test_invalid_value_is_refused_before_any_task(ran, playbook, options, message):
    code, output, lines = ran(playbook, *options, "--limit=kafka2")

    assert lines == []
    assert code != 0
    assert message in " ".join(output.split())


def test_run_without_a_limit_is_not_refused(ran, tmp_path):
    code, output, _ = ran(
        "internal_begin", "-ebegin_whole=true", f"-ekafka_metal_state={tmp_path}/state"
    )

    assert code == 0, output


@pytest.mark.parametrize(
    ("options", "roles"),
    [
        ([], {"zookeeper", "kafka_broker"}),
        (["-erestart_services=kafka"], {"kafka_broker"}),
        (["-erestart_services=zookeeper"], {"zookeeper"}),
    ],
)
def test_restart_is_limited_to_the_named_services(ran, options, roles):
    code, output, lines = ran("restart", *options)

    assert code == 0, output
    assert {line.split("/")[0] for line in lines} - {"roll"} == roles
