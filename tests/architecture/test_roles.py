"""Roles declare all of their options, and do not depend on the inventory around them."""

import re

# Accesses to inventory groups in templates.
GROUPS = re.compile(r"\bgroups\s*[\[.|]|\bgroup_names\b|\bgroups\.get\b")
# A default that is one template: it has the option's type only after evaluation.
COMPUTED = re.compile(r"\s*\{\{.*\}\}\s*", re.DOTALL)


def test_every_role_has_a_specification_and_a_description(repository):
    roles = repository.folders("roles/*")
    assert len(roles) >= 5
    missing = [
        f"roles/{role}/meta/{name}.yml"
        for role in roles
        for name in ("argument_specs", "main")
        if not (repository.root / f"roles/{role}/meta/{name}.yml").exists()
    ]
    assert missing == []


def test_every_yaml_file_is_valid(repository):
    files = repository.files("roles/**/*.yml", "playbooks/**/*.yml", "inventories/**/*.yml")
    assert len(files) > 20
    for path in files:
        repository.yaml(path)


def test_defaults_equal_the_specification(repository):
    differences = []
    for role in repository.folders("roles/*"):
        options, defaults = repository.options(role), repository.defaults(role)
        for name in sorted(options.keys() | defaults.keys()):
            if name not in options:
                differences.append(f"{name} has a default but no specification")
            elif options[name].get("required"):
                if name in defaults or "default" in options[name]:
                    differences.append(f"{name} is required and has a default")
            elif name in defaults and COMPUTED.fullmatch(str(defaults[name])):
                if "default" in options[name]:
                    differences.append(f"{name}: its computed default is also in the specification")
                elif "by default" not in options[name]["description"].lower():
                    differences.append(
                        f"{name}: its description does not explain the computed default"
                    )
            elif name not in defaults or "default" not in options[name]:
                differences.append(f"{name} is optional, and one of the two has no default")
            elif defaults[name] != options[name]["default"]:
                differences.append(f"{name}: {defaults[name]!r} != {options[name]['default']!r}")
    assert differences == []


def test_every_option_is_described_and_typed(repository):
    bare = [
        name
        for role in repository.folders("roles/*")
        for name, spec in repository.options(role).items()
        if not spec.get("description") or not spec.get("type")
    ]
    assert bare == []


def test_variables_have_the_prefix_of_their_role(repository):
    foreign = []
    for role in repository.folders("roles/*"):
        names = repository.options(role).keys() | repository.defaults(role).keys()
        foreign += [f"{role}: {name}" for name in names if not name.startswith(f"{role}_")]
        for path in repository.files(f"roles/{role}/vars/*.yml"):
            own = re.compile(rf"_*{role}_")
            foreign += [f"{path}: {n}" for n in repository.yaml(path) or () if not own.match(n)]
    assert foreign == []


def test_roles_use_no_inventory_groups(repository):
    named = [
        f"{path}:{number}: {line.strip()}"
        for path in repository.files("roles/**/*")
        for number, line in enumerate(repository.lines(path), start=1)
        if GROUPS.search(line)
    ]
    assert named == []


def test_inventory_variables_are_options_of_their_role(repository):
    unknown, seen = [], 0
    for path in repository.files("inventories/**/*.yml"):
        for name in _variables(path, repository.yaml(path)):
            role = repository.role_of(name)
            seen += role is not None
            if role is not None and name not in repository.options(role):
                unknown.append(f"{path}: {name} is not an option of role {role}")
    assert seen > 20
    assert unknown == []


def _variables(path, content):
    """Names of variables in an inventory file: group_vars, host_vars or a host list."""
    if "/group_vars/" in path or "/host_vars/" in path:
        yield from content or ()
        return
    for group in (content or {}).values():
        yield from (group or {}).get("vars") or ()
        for variables in ((group or {}).get("hosts") or {}).values():
            yield from variables or ()
        yield from _variables(path, (group or {}).get("children"))


def test_registered_variables_hide_no_role_variables(repository):
    """A registered variable takes precedence over role variables for the rest of the run."""
    hidden = []
    for path, task in repository.tasks():
        role = path.split("/")[1] if path.startswith("roles/") else None
        registered = task.get("register")
        if not role or not registered:
            continue
        files = repository.files(f"roles/{role}/vars/main.yml", f"roles/{role}/defaults/main.yml")
        if any(registered in (repository.yaml(file) or {}) for file in files):
            hidden.append(f"{path}: {task['name']}: {registered}")
    assert hidden == []
