"""Nobody is woken without a page that says what to do, nor by what was never seen to fire."""

import re

import pytest

SECTIONS = ["Meaning", "Effect on clients", "First steps", "Urgency"]


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


def test_a_runbook_says_what_somebody_at_night_wants_to_know(repository, alerts):
    for name in alerts:
        text = runbook(repository, name)
        assert text.startswith(f"# {name}\n"), name
        assert re.findall(r"^## (.+)$", text, re.MULTILINE) == SECTIONS, name
        assert len(re.findall(r"^\d\. ", text, re.MULTILINE)) == 3, f"{name} has no three steps"
        assert "`make " in text, f"{name} names no command of ours"


def test_a_runbook_names_only_commands_that_exist(repository, alerts):
    verbs = set(re.findall(r"^([a-z-]+):", repository.text("Makefile"), re.MULTILINE))
    verbs |= set(re.findall(r"^([a-z -]+): env", repository.text("Makefile"), re.MULTILINE))
    named = {
        (name, verb)
        for name in alerts
        for verb in re.findall(r"`make ([\w-]+)", runbook(repository, name))
    }
    assert {(name, verb) for name, verb in named if verb not in verbs} == set()


def test_what_a_runbook_points_at_is_there(repository, alerts):
    for name in alerts:
        for target in re.findall(r"\]\((\w+)\.md\)", runbook(repository, name)):
            assert target in alerts, f"{name} points at {target}"
        for role, variable in re.findall(r"`((\w+?_\w+?)_\w+)`", runbook(repository, name)):
            owner = repository.role_of(role)
            if owner is not None:
                assert role in repository.options(owner), f"{name}: {role}, {variable}"


def test_the_index_has_every_alert_with_its_kind(repository, alerts):
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


def test_every_alert_was_seen_to_fire_and_to_keep_silent(alerts, cases):
    assert set(cases) == set(alerts)
    for name, found in cases.items():
        fires = [any(each["at"].values()) for each in found]
        assert any(fires), f"{name} is never seen to fire"
        # It fires always.
        assert not all(fires) or name == "Heartbeat", f"{name} has no case in which it is silent"


def test_an_alert_that_fires_was_silent_before(alerts, cases):
    """A case in which it fires in the end and not at first, so that its moment means something."""
    for name in alerts.keys() - {"Heartbeat"}:
        turned = [
            each for each in cases[name] if any(each["at"].values()) and [] in each["at"].values()
        ]
        assert turned, name


def test_pages_that_maintenance_silences_are_few_and_known(alerts):
    pages = {n: a.get("maintenance") for n, a in alerts.items() if a["severity"] == "page"}
    assert {n: of for n, of in pages.items() if of} == {
        "BrokerDown": "instance",
        "HostDown": "host",
    }


def test_there_is_one_heartbeat(alerts):
    assert [n for n, a in alerts.items() if a["severity"] == "heartbeat"] == ["Heartbeat"]
    assert alerts["Heartbeat"]["expr"] == "vector(1)"
