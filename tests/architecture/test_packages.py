"""Packages of plugins: separate for hosts and the control node, private, and without cycles."""

import ast
from collections import Counter
from graphlib import TopologicalSorter

import pytest

COLLECTION = "ansible_collections.metal.kafka."


@pytest.fixture(scope="module")
def imports(repository):
    """Imported files of plugins, by importing file; imports inside functions included."""
    modules = {_module(path): path for path in repository.files("plugins/**/*.py")}
    return {
        path: {modules[name] for name in _imported(repository.text(path), path) if name in modules}
        for path in modules.values()
    }


def _module(path):
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _imported(text, path):
    """Dotted names of possible modules, from the root of the collection."""
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
    """Package of a file, such as ``plugins/module_utils/_kafka``; None for other plugins."""
    parts = path.split("/")
    return "/".join(parts[:3]) if parts[1].endswith("_utils") else None


def _loaded(imports, start):
    """All files that are loaded with the files of ``start``."""
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


def test_file_names_are_unique(repository):
    files = repository.files("plugins/*_utils/**/*.py")
    names = Counter(path.rsplit("/", 1)[1] for path in files)
    del names["__init__.py"]
    assert [name for name, count in names.items() if count > 1] == []


def test_modules_import_nothing_of_plugin_utils(imports):
    """Imports of modules are copied to hosts, which only have Python's standard library."""
    wrong = [
        f"{path} imports {other}"
        for path, others in imports.items()
        if path.startswith(("plugins/module_utils/", "plugins/modules/"))
        for other in others
        if other.startswith("plugins/plugin_utils/")
    ]
    assert wrong == []


def test_module_utils_are_used_by_modules(imports):
    loaded = _loaded(imports, [path for path in imports if path.startswith("plugins/modules/")])
    # The exporter uses the rules for problems as well: its image has this package.
    files = [
        path
        for path in imports
        if path.startswith("plugins/module_utils/") and "/_problems/" not in path
    ]
    assert [p for p in files if p not in loaded and not p.endswith("/__init__.py")] == []


def test_packages_have_no_import_cycles(imports):
    graph = {}
    for path, others in imports.items():
        if here := _package(path):
            packages = {_package(other) for other in others} - {here, None}
            graph.setdefault(here, set()).update(packages)
    assert len(graph) > 10
    # Raises CycleError, which contains the cycle.
    TopologicalSorter(graph).prepare()


def test_type_aliases_work_with_python_3_9(repository):
    """Python 3.9 has no | between classes; annotations are not evaluated."""
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


def test_checks_of_types_work_with_python_3_9(repository):
    """isinstance() of Python 3.9 takes no | between classes, and fails only when it is called."""
    wrong = [
        f"{path}:{node.lineno}"
        for path in repository.files("plugins/module_utils/**/*.py", "plugins/modules/*.py")
        for node in ast.walk(ast.parse(repository.text(path)))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("isinstance", "issubclass")
        and isinstance(node.args[1], ast.BinOp)
    ]
    assert wrong == []


def test_zip_calls_work_with_python_3_9(repository):
    """zip() of Python 3.9 has no ``strict``, and fails only when it is called."""
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
