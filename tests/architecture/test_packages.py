"""Packages of plugins: those that hosts load apart from the rest, private, and without cycles."""

import ast
from collections import Counter
from graphlib import TopologicalSorter

import pytest

COLLECTION = "ansible_collections.metal.kafka."


@pytest.fixture(scope="module")
def imports(repository):
    """By file of plugins, the files of plugins that it imports, also inside functions."""
    modules = {_module(path): path for path in repository.files("plugins/**/*.py")}
    return {
        path: {modules[name] for name in _imported(repository.text(path), path) if name in modules}
        for path in modules.values()
    }


def _module(path):
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _imported(text, path):
    """Dotted names that may be modules, from the root of the collection."""
    package = path.split("/")[:-1]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (each.name.removeprefix(COLLECTION) for each in node.names)
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            base = base.removeprefix(COLLECTION)
            yield base
            yield from (f"{base}.{each.name}" for each in node.names)


def _package(path):
    """``plugins/module_utils/_kafka`` of a file below it; None of another plugin."""
    parts = path.split("/")
    return "/".join(parts[:3]) if parts[1].endswith("_utils") else None


def _loaded(imports, start):
    """Everything that is loaded with the files of ``start``."""
    found, ahead = set(), list(start)
    while ahead:
        path = ahead.pop()
        if path not in found:
            found.add(path)
            ahead += imports[path]
    return found


def test_every_file_is_in_a_private_package(repository):
    files = repository.files("plugins/*_utils/**/*.py")
    assert len(files) > 100
    assert [path for path in files if not path.split("/")[2].startswith("_")] == []


def test_a_file_s_name_occurs_once(repository):
    files = repository.files("plugins/*_utils/**/*.py")
    names = Counter(path.rsplit("/", 1)[1] for path in files)
    del names["__init__.py"]
    assert [name for name, count in names.items() if count > 1] == []


def test_hosts_load_nothing_of_the_control_node(imports):
    """What a module imports is copied to hosts, which have Python's library alone."""
    wrong = [
        f"{path} imports {other}"
        for path, others in imports.items()
        if path.startswith(("plugins/module_utils/", "plugins/modules/"))
        for other in others
        if other.startswith("plugins/plugin_utils/")
    ]
    assert wrong == []


def test_what_no_module_loads_is_in_plugin_utils(imports):
    loaded = _loaded(imports, [path for path in imports if path.startswith("plugins/modules/")])
    files = [path for path in imports if path.startswith("plugins/module_utils/")]
    assert [p for p in files if p not in loaded and not p.endswith("/__init__.py")] == []


def test_packages_import_each_other_in_one_direction(imports):
    graph = {}
    for path, others in imports.items():
        if here := _package(path):
            packages = {_package(other) for other in others} - {here, None}
            graph.setdefault(here, set()).update(packages)
    assert len(graph) > 10
    # Raises CycleError, which names the cycle.
    TopologicalSorter(graph).prepare()


def test_hosts_load_packages_with_python_3_9(repository):
    """It has no | between classes; annotations are text."""
    wrong = [
        f"{path}:{node.lineno}"
        for path in repository.files("plugins/module_utils/**/*.py", "plugins/modules/*.py")
        for node in ast.parse(repository.text(path)).body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.BinOp)
        and isinstance(node.value.op, ast.BitOr)
        and all(isinstance(each, ast.Name) for each in (node.value.left, node.value.right))
    ]
    assert wrong == []


def test_hosts_run_packages_with_python_3_9(repository):
    """Its zip() takes no ``strict``, which shows only when it is called."""
    wrong = [
        f"{path}:{node.lineno}"
        for path in repository.files("plugins/module_utils/**/*.py", "plugins/modules/*.py")
        for node in ast.walk(ast.parse(repository.text(path), feature_version=(3, 9)))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "zip"
        and any(keyword.arg == "strict" for keyword in node.keywords)
    ]
    assert wrong == []
