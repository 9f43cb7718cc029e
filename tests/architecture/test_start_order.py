"""Playbooks, which are written by hand, follow the start order of the catalogue."""

import re

from ansible_collections.metal.kafka.plugins.plugin_utils._catalogue import SERVICES

# Variables of imports with the group that the plays start or stop.
GROUP = re.compile(r"(?:converge|stop|service)_group")


def groups(repository, playbook):
    """Groups that a playbook starts or stops, in order of their first occurrence."""
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
    """Whether a play starts or stops a service with its own tasks.

    The group is the first one in its hosts; other groups there are conditions.
    """
    known = {each.group for each in SERVICES}
    on = [word for word in re.findall(r"\w+", play["hosts"]) if word in known][:1]
    actions = ("apply", "stop", "{{ down_action")
    return service.group in on and any(
        task.get("ansible.builtin.include_role", {}).get("name") == f"metal.kafka.{service.role}"
        and str(task.get("vars", {}).get("service_action", "")).startswith(actions)
        for task in play["tasks"]
    )


def wrong(found, order):
    """Kinds that are missing, or are before a kind that ``order`` puts first."""
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


def test_site_starts_kinds_after_their_dependencies(repository):
    assert wrong(groups(repository, "site.yml"), _starts_after) == []


def test_site_starts_monitoring_before_the_services_that_use_the_cluster(repository):
    """A service that does not start ends the run: only running monitoring can report it."""
    found = groups(repository, "site.yml")
    early = [each for each in found[: found.index("monitoring")] if each != "metal"]
    assert set(early) == {"zookeeper", "kafka"}
    reported = [kind for kind in SERVICES if kind.group == "monitoring"]
    later = {each.kind for each in SERVICES if each.group not in {*early, "monitoring", "metal"}}
    assert later
    assert {need for kind in reported for need in kind.after} & later == set()


def test_down_stops_kinds_before_their_dependencies(repository):
    assert wrong(groups(repository, "down.yml"), _stops_after) == []


def steps(repository, playbook, variable):
    """Values of a variable of a playbook's imports, as lists, in order."""
    plays = repository.yaml(f"playbooks/{playbook}")
    named = [(play.get("vars") or {}).get(variable) for play in plays]
    return [[each] if isinstance(each, str) else each for each in named if each]


def needed_too_late(found, order):
    """Kinds whose dependency is not in an earlier step."""
    return [
        f"{kind} before {need}"
        for number, step in enumerate(found)
        for kind in step
        for need in order.get(kind, ())
        if all(need not in earlier for earlier in found[:number])
    ]


def _label(kind):
    """Label of containers of a kind."""
    return kind.container_users[0].service


def test_resume_starts_kinds_after_their_dependencies(repository):
    """Unnamed kinds start last, so only named kinds can start too early."""
    needs = {_label(each): [_label(of(need)) for need in each.after] for each in SERVICES}
    found = steps(repository, "internal_resume.yml", "resumed_kinds")
    assert needed_too_late(found[:-1], needs) == []
    assert sorted(found[-1]) == sorted(each for step in found[:-1] for each in step)


def test_reboot_starts_kinds_after_their_dependencies(repository):
    needs = {}
    for each in SERVICES:
        needs.setdefault(each.group, []).extend(of(need).group for need in each.after)
    assert needed_too_late(steps(repository, "reboot.yml", "start_group"), needs) == []


def test_a_kind_with_a_gate_restarts_and_starts_after_a_reboot(repository):
    """By an entry of its own, or by the one with which it starts."""
    gated = {path.split("/")[1] for path in repository.files("roles/*/tasks/gate.yml")}
    wanted = {each.group for each in SERVICES if each.role in gated}
    shared = steps(repository, "internal_gated_services.yml", "service_group")
    for playbook, variable in (("restart.yml", "restart_group"), ("reboot.yml", "start_group")):
        plays = repository.yaml(f"playbooks/{playbook}")
        imported = [each.get("ansible.builtin.import_playbook") for each in plays]
        assert "internal_gated_services.yml" in imported
        found = [*steps(repository, playbook, variable), *shared]
        assert {group for step in found for group in step} == wanted


def test_compose_dependencies_equal_the_catalogue(repository):
    """Except for the single Spark master of Compose, which needs no metadata service."""
    dependencies = repository.yaml("inventories/compose/group_vars/all/cluster.yml")[
        "compose_after"
    ]
    early = [
        f"{_label(kind)} before {_label(of(need))}"
        for kind in SERVICES
        if _label(kind) in dependencies
        for need in kind.after
        if _label(of(need)) not in _waits(dependencies, _label(kind))
    ]
    assert early == []


def _waits(dependencies, label):
    """Direct and indirect dependencies of a label."""
    return {
        each for need in dependencies.get(label, ()) for each in (need, *_waits(dependencies, need))
    }


def of(name):
    """Service kind by name."""
    return next(each for each in SERVICES if each.kind == name)
