"""Every alert has a runbook with the needed sections, and cases that show when it fires."""

import re

import pytest
from kafka_metal_watch.content import PER_READ

SECTIONS = ["Meaning", "Effect on clients", "First steps", "Urgency"]


# Alerts about an event, which has no end: they fire long enough to be seen.
EVENTS = {
    "BrokerRestarting": "a slow crash loop looks healthy between two restarts",
    "DiskWearing": "new bad sectors remain",
    "LogDirEmptied": "data was lost",
    "NotificationsFailing": "Alertmanager counts a failure only after minutes of retries",
    "OutOfMemory": "a process was killed",
    "PipelineInvalidRecords": "records reached no output",
    "PipelineMostlyInvalid": "records reached no output",
    "SessionsExpiring": "a session expired",
    "UncleanElection": "records may be lost",
}


@pytest.fixture(scope="module")
def alerts(repository):
    found = {}
    for path in repository.files("monitoring/alerts/*.yml"):
        found.update(repository.yaml(path))
    assert len(found) > 20
    return found


@pytest.fixture(scope="module")
def cases(repository):
    found = {}
    for path in repository.files("tests/monitoring/cases/*.yml"):
        found.update(repository.yaml(path))
    return found


def runbook(repository, name):
    return repository.text(f"docs/operate/alerts/{name}.md")


def test_every_alert_has_a_runbook_and_every_runbook_an_alert(repository, alerts):
    pages = {path.split("/")[-1][:-3] for path in repository.files("docs/operate/alerts/*.md")}
    assert pages - {"index"} == set(alerts)


def test_a_runbook_has_all_sections_and_three_steps(repository, alerts):
    for name in alerts:
        text = runbook(repository, name)
        assert text.startswith(f"# {name}\n"), name
        assert re.findall(r"^## (.+)$", text, re.MULTILINE) == SECTIONS, name
        assert len(re.findall(r"^\d\. ", text, re.MULTILINE)) == 3, f"{name} has no three steps"
        assert "`make " in text, f"{name} names no make target"


def test_a_runbook_names_only_commands_that_exist(repository, alerts):
    verbs = set(re.findall(r"^([a-z-]+):", repository.text("Makefile"), re.MULTILINE))
    verbs |= set(re.findall(r"^([a-z -]+): env", repository.text("Makefile"), re.MULTILINE))
    named = {
        (name, verb)
        for name in alerts
        for verb in re.findall(r"`make ([\w-]+)", runbook(repository, name))
    }
    assert {(name, verb) for name, verb in named if verb not in verbs} == set()


def test_links_and_variables_of_runbooks_exist(repository, alerts):
    for name in alerts:
        for target in re.findall(r"\]\((\w+)\.md\)", runbook(repository, name)):
            assert target in alerts, f"{name} links to {target}"
        for role, variable in re.findall(r"`((\w+?_\w+?)_\w+)`", runbook(repository, name)):
            owner = repository.role_of(role)
            if owner is not None:
                assert role in repository.options(owner), f"{name}: {role}, {variable}"


def test_the_index_lists_every_alert(repository, alerts):
    index = repository.text("docs/operate/alerts/index.md")
    rows = re.findall(r"^\| \[(\w+)\]\((\w+)\.md\) \| (\w+) \| (\w*) \| (.*?) \|$", index, re.M)
    assert {row[0]: (row[1], row[2], row[3]) for row in rows} == {
        name: (name, alert["severity"], alert.get("maintenance", ""))
        for name, alert in alerts.items()
    }
    inhibitors = {
        name: {other for other in alerts if name in alerts[other].get("inhibits", ())}
        for name in alerts
    }
    assert {row[0]: set(filter(None, row[4].split(", "))) for row in rows} == inhibitors


def test_every_alert_has_a_firing_and_a_silent_case(alerts, cases):
    assert set(cases) == set(alerts)
    for name, found in cases.items():
        fires = [any(each["at"].values()) for each in found]
        assert any(fires), f"{name} has no case in which it fires"
        # The heartbeat always fires.
        assert not all(fires) or name == "Heartbeat", f"{name} has no case in which it is silent"


def test_a_firing_case_starts_silent(alerts, cases):
    """A case that starts silent proves the moment at which the alert fires."""
    for name in alerts.keys() - {"Heartbeat"}:
        turned = [
            each for each in cases[name] if any(each["at"].values()) and [] in each["at"].values()
        ]
        assert turned, name


def test_a_case_of_every_alert_shows_when_it_ends(alerts, cases):
    """promtool_files.py checks that an alert ends within a minute after its case heals."""
    ends = {
        kind: {name for name in alerts if any(kind in each for each in cases[name])}
        for kind in ("heals", "ends")
    }
    assert ends["ends"] == set(EVENTS)
    assert ends["heals"] == alerts.keys() - {"Heartbeat", *EVENTS}


def test_values_of_a_case_are_texts(alerts, cases):
    """YAML reads 0x20 as the number 32: such zeros are written as 0+0x20."""
    numbers = {
        (name, written)
        for name in alerts
        for each in cases[name]
        for written in each["series"].values()
        if not isinstance(written, str)
    }
    assert numbers == set()


def test_maintenance_silences_only_known_pages(alerts):
    pages = {n: a.get("maintenance") for n, a in alerts.items() if a["severity"] == "page"}
    assert {n: of for n, of in pages.items() if of} == {
        "BrokerDown": "instance",
        "HostDown": "host",
    }


def test_the_guide_has_the_number_of_topics_that_the_exporter_compares_at_once(repository):
    guide = " ".join(repository.text("docs/operate/guides/monitoring.md").split())
    topics, minutes = 1000, 5
    assert f"settings of at most {PER_READ} topics every 15 s" in guide
    assert f"with {topics:,} topics it takes five minutes" in guide
    # Two consecutive reads of each topic.
    assert 2 * topics / PER_READ * 15 == minutes * 60


def test_there_is_one_heartbeat(alerts):
    assert [n for n, a in alerts.items() if a["severity"] == "heartbeat"] == ["Heartbeat"]
    assert alerts["Heartbeat"]["expr"] == "vector(1)"
