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
    """Whether a play starts or stops a service by its own tasks, as all kinds of a role on a group.

    The group is the first that its hosts name; others are conditions.
    """
    known = {each.group for each in SERVICES}
    on = [word for word in re.findall(r"\w+", play["hosts"]) if word in known][:1]
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


def steps(repository, playbook, variable):
    """What the imports of a playbook start, one after the other."""
    plays = repository.yaml(f"playbooks/{playbook}")
    named = [(play.get("vars") or {}).get(variable) for play in plays]
    return [[each] if isinstance(each, str) else each for each in named if each]


def needed_too_late(found, order):
    """Kinds that start in a step and need one that no earlier step has started."""
    return [
        f"{kind} before {need}"
        for number, step in enumerate(found)
        for kind in step
        for need in order.get(kind, ())
        if all(need not in earlier for earlier in found[:number])
    ]


def _label(kind):
    """How containers of a kind are labelled."""
    return kind.users[0].service


def test_what_was_stopped_starts_again_behind_what_it_needs(repository):
    """Everybody else starts last: only who is named can come too early."""
    needs = {_label(each): [_label(of(need)) for need in each.after] for each in SERVICES}
    found = steps(repository, "internal_resume.yml", "resumed_kinds")
    assert needed_too_late(found[:-1], needs) == []
    assert sorted(found[-1]) == sorted(each for step in found[:-1] for each in step)


def test_a_reboot_starts_what_it_finds_stopped_behind_what_it_needs(repository):
    needs = {}
    for each in SERVICES:
        needs.setdefault(each.group, []).extend(of(need).group for need in each.after)
    assert needed_too_late(steps(repository, "reboot.yml", "start_group"), needs) == []


def test_compose_waits_for_what_the_catalogue_says(repository):
    """But for masters of Spark, which are alone there and need no ensemble."""
    said = repository.yaml("inventories/compose/group_vars/all/cluster.yml")["compose_after"]
    early = [
        f"{_label(kind)} before {_label(of(need))}"
        for kind in SERVICES
        if _label(kind) in said
        for need in kind.after
        if _label(of(need)) not in _waits(said, _label(kind))
    ]
    assert early == []


def _waits(said, label):
    """Everything that one waits for, by others too."""
    return {each for need in said.get(label, ()) for each in (need, *_waits(said, need))}


def of(name):
    """A kind by its name."""
    return next(each for each in SERVICES if each.kind == name)
