"""Places in the code that can refuse a run, read from task files and Python sources."""

from __future__ import annotations

import ast
from collections.abc import Iterator

# Directories of Python code that runs in verbs, on hosts and in drivers.
PYTHON = ("plugins/**/*.py", "spark/src/**/*.py", "declarations/src/**/*.py")
TASKS = ("ansible.builtin.fail", "ansible.builtin.assert")
# Errors that are no class of this repository.
FOREIGN_ERRORS = ("AnsibleError", "AnsibleActionFail", "AnsibleFilterError", "AnsibleLookupError")
FAILURES = ("fail_json", "fail")


def refusals(repository) -> dict[str, str]:
    """Return the place of each refusal: ``path: task`` or ``path: function``."""
    found = list(_tasks(repository))
    files = repository.files(*PYTHON)
    trees = {path: ast.parse(repository.text(path)) for path in files}
    errors = _error_classes(trees.values())
    for path, tree in trees.items():
        found += [f"{path}: {name}" for name in _functions(tree, errors)]
    return dict.fromkeys(found, "")


def _tasks(repository) -> Iterator[str]:
    for path, task in repository.tasks():
        if any(name in task for name in TASKS):
            yield f"{path}: {task['name']}"


def _error_classes(trees) -> set[str]:
    """Names of exception classes, by the names of their bases."""
    bases = {
        node.name: {base.id for base in node.bases if isinstance(base, ast.Name)}
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    known = {"Exception", "ValueError", "RuntimeError", *FOREIGN_ERRORS}
    while more := {name for name, own in bases.items() if own & known} - known:
        known |= more
    return known - {"Exception"}


def _functions(node: ast.AST, errors: set[str], name: str = "module") -> Iterator[str]:
    """Names of functions and methods that raise one of ``errors``, or fail a module."""
    for child in ast.iter_child_nodes(node):
        inner = name
        if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            inner = child.name if name == "module" else f"{name}.{child.name}"
        elif isinstance(child, ast.Raise) and isinstance(child.exc, ast.Call):
            function = child.exc.func
            if getattr(function, "id", getattr(function, "attr", "")) in errors:
                yield name
        elif isinstance(child, ast.Call) and getattr(child.func, "attr", "") in FAILURES:
            yield name
        yield from _functions(child, errors, inner)
