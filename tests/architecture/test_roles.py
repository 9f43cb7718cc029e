"""A role says what it takes, and knows nothing of the inventory around it."""

import re

# Inventory groups, in the ways a template can reach them.
GROUPS = re.compile(r"\bgroups\s*[\[.|]|\bgroup_names\b|\bgroups\.get\b")
# A default that is computed as a whole: it has the option's type only once it is.
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


def test_every_yaml_file_can_be_read(repository):
    files = repository.files("roles/**/*.yml", "playbooks/**/*.yml", "inventories/**/*.yml")
    assert len(files) > 20
    for path in files:
        repository.yaml(path)


def test_defaults_are_those_of_the_specification(repository):
    differences = []
    for role in repository.folders("roles/*"):
        options, defaults = repository.options(role), repository.defaults(role)
        for name in sorted(options.keys() | defaults.keys()):
            if name not in options:
                differences.append(f"{name} has a default and no specification")
            elif options[name].get("required"):
                if name in defaults or "default" in options[name]:
                    differences.append(f"{name} is required and has a default")
            elif name in defaults and COMPUTED.fullmatch(str(defaults[name])):
                if "default" in options[name]:
                    differences.append(f"{name}: its default is computed, and said in words")
                elif "by default" not in options[name]["description"].lower():
                    differences.append(f"{name}: its description says nothing of its default")
            elif name not in defaults or "default" not in options[name]:
                differences.append(f"{name} is optional and lacks a default in one of the two")
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


def test_variables_of_a_role_carry_its_name(repository):
    foreign = []
    for role in repository.folders("roles/*"):
        names = repository.options(role).keys() | repository.defaults(role).keys()
        foreign += [f"{role}: {name}" for name in names if not name.startswith(f"{role}_")]
        for path in repository.files(f"roles/{role}/vars/*.yml"):
            own = re.compile(rf"_*{role}_")
            foreign += [f"{path}: {n}" for n in repository.yaml(path) or () if not own.match(n)]
    assert foreign == []


def test_roles_name_no_group_of_the_inventory(repository):
    named = [
        f"{path}:{number}: {line.strip()}"
        for path in repository.files("roles/**/*")
        for number, line in enumerate(repository.lines(path), start=1)
        if GROUPS.search(line)
    ]
    assert named == []


def test_variables_of_our_inventories_are_known_to_their_role(repository):
    unknown, seen = [], 0
    for path in repository.files("inventories/**/*.yml"):
        for name in _variables(path, repository.yaml(path)):
            role = repository.role_of(name)
            seen += role is not None
            if role is not None and name not in repository.options(role):
                unknown.append(f"{path}: {name} is no option of role {role}")
    assert seen > 20
    assert unknown == []


def _variables(path, content):
    """Names that a file of an inventory sets: variables of groups, or of hosts in a host list."""
    if "/group_vars/" in path or "/host_vars/" in path:
        yield from content or ()
        return
    for group in (content or {}).values():
        yield from (group or {}).get("vars") or ()
        for variables in ((group or {}).get("hosts") or {}).values():
            yield from variables or ()
        yield from _variables(path, (group or {}).get("children"))


def test_no_answer_hides_what_the_role_declares(repository):
    """What a task registers wins over a variable of its role, for the rest of the run."""
    hidden = []
    for path, task in repository.tasks():
        role = path.split("/")[1] if path.startswith("roles/") else None
        said = task.get("register")
        if not role or not said:
            continue
        files = repository.files(f"roles/{role}/vars/main.yml", f"roles/{role}/defaults/main.yml")
        if any(said in (repository.yaml(file) or {}) for file in files):
            hidden.append(f"{path}: {task['name']}: {said}")
    assert hidden == []
