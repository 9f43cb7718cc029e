"""A value that a verb does not know ends the run before anything, also with --limit."""

import pytest
from plays import ASKED, ansible_playbook, entries, with_printing_roles

GIVEN = ASKED | {"cluster_name": "unit"}
HOSTS = {f"kafka{number}": GIVEN for number in (1, 2)}
SITE = {"metal": HOSTS, "kafka": HOSTS, "zookeeper": {"kafka1": GIVEN}}


@pytest.fixture
def ran(tmp_path):
    """Exit code, output and what has run, of a playbook with roles that only print."""
    folder = with_printing_roles(tmp_path)

    def run(name, *words):
        code, output = ansible_playbook(tmp_path, SITE, f"{folder}/{name}.yml", *words)
        return code, output, entries(output)

    return run


@pytest.mark.parametrize(
    ("playbook", "words", "told"),
    [
        (
            "restart",
            ["-erestart_services=kafka1"],
            "found 'kafka1'; allowed: kafka, zookeeper, all",
        ),
        ("restart", ["-erestart_services="], "found ''; allowed: kafka, zookeeper, all"),
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
def test_nothing_runs(ran, playbook, words, told):
    code, output, lines = ran(playbook, *words, "--limit=kafka2")

    assert lines == []
    assert code != 0
    assert told in " ".join(output.split())


def test_a_run_without_a_limit_is_not_refused_for_it(ran):
    code, output, _ = ran("internal_unlimited")

    assert code == 0, output


@pytest.mark.parametrize(
    ("words", "roles"),
    [
        ([], {"zookeeper", "kafka_broker"}),
        (["-erestart_services=kafka"], {"kafka_broker"}),
        (["-erestart_services=zookeeper"], {"zookeeper"}),
    ],
)
def test_a_restart_is_of_what_was_named(ran, words, roles):
    code, output, lines = ran("restart", *words)

    assert code == 0, output
    assert {line.split("/")[0] for line in lines} - {"roll"} == roles
