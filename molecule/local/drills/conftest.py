"""Fixtures of the drills, shared with the tests of the same platform."""

import importlib.util
from pathlib import Path
from types import ModuleType

TESTS = Path(__file__).resolve().parents[1] / "tests"


def _module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"tests_of_local_{name}", TESTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make = _module("conftest").make
ask = _module("conftest").ask
services = _module("conftest").services
flights = _module("test_declared_pipeline").flights
own = _module("test_declared_pipeline").own
