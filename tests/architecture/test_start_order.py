"""The catalogue says in which order services start; playbooks, written for people, follow it."""

import re

from ansible_collections.metal.kafka.plugins.plugin_utils._catalogue import SERVICES

# How an import names the group that its plays start or stop.
GROUP = re.compile(r"(?:converge|stop)_group")


def groups(repository, playbook):
    """Groups that a playbook starts or stops, in order, each where it comes first."""
    found = []
    for play in repository.yaml(f"playbooks/{playbook}"):
        named = [str(value) for key, value in (play.get("vars") or {}).items() if GROUP.match(key)]
        if named:
            found += named
        elif "ansible.builtin.import_playbook" in play:
            found += groups(repository, play["ansible.builtin.import_playbook"])
        else:
            found += [each.group for each in SERVICES if _handles(play, each)]
    return list(dict.fromkeys(found))


def _handles(play, service):
    """Whether a play starts or stops the services of a role by its own tasks."""
    on = re.findall(r"\w+", play["hosts"])
    verbs = ("apply", "stop", "{{ down_verb")
    return service.group in on and any(
        task.get("ansible.builtin.include_role", {}).get("name") == f"metal.kafka.{service.role}"
        and str(task.get("vars", {}).get("service_verb", "")).startswith(verbs)
        for task in play["tasks"]
    )


def wrong(found, order):
    """Kinds that are missing, or come before one that ``order`` has earlier."""
    missing = [f"{kind.group} is missing" for kind in SERVICES if kind.group not in found]
    early = [
        f"{kind.group} before {before}"
        for kind in SERVICES
        for before in order(kind)
        if kind.group in found and before in found
        if found.index(kind.group) < found.index(before)
    ]
    return missing + early


def _starts_after(kind):
    return [each.group for each in SERVICES if each.kind in kind.after]


def _stops_after(kind):
    return [each.group for each in SERVICES if kind.kind in each.after]


def test_site_starts_each_kind_behind_those_that_it_needs(repository):
    assert wrong(groups(repository, "site.yml"), _starts_after) == []


def test_down_stops_each_kind_before_those_that_it_needs(repository):
    assert wrong(groups(repository, "down.yml"), _stops_after) == []
