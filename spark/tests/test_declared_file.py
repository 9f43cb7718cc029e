"""A driver applies another declaration in its file, unless that needs another session."""

from pathlib import Path

import pytest
import yaml
from conftest import SMALLEST
from kafka_metal_declarations.declaration_file import load
from kafka_metal_pipeline.declared_file import NEW_DRIVER, DeclaredFile, digest

DECLARED = SMALLEST | {"name": "p"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "pipeline.yml"
    write(path, DECLARED)
    return path


def write(path: Path, declaration: object) -> None:
    path.write_text(yaml.safe_dump(declaration), encoding="utf-8")


def declared(path: Path) -> DeclaredFile:
    return DeclaredFile(path, lambda: load(path)["p"])


@pytest.mark.parametrize(
    "change",
    [
        {"outputs": {"all": {"sql": "SELECT id FROM events", "topic": "out"}}},
        {"outputs": {"other": {"sql": "SELECT id FROM events", "topic": "other"}}},
        {"source": {**DECLARED["source"], "max_per_trigger": 5}},
        {"rules": {"short": "length(id) < 9"}},
        {"trigger": "1 minute"},
        {"invalid": "worse"},
    ],
)
def test_another_declaration_is_applied_once(path: Path, change: dict[str, object]) -> None:
    file = declared(path)
    before = file.declaration
    assert not file.reload()
    write(path, DECLARED | change)
    assert file.reload()
    assert (file.declaration == before, file.digest, file.error) == (False, digest(path), "")
    assert not file.reload()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (DECLARED | {"resources": {"cores": 4}}, NEW_DRIVER),
        (DECLARED | {"master": "spark://other:7077"}, NEW_DRIVER),
        (DECLARED | {"outputs": {}}, "pipeline p: outputs: found"),
        ("half a fi", "pipelines: found"),
    ],
)
def test_a_declaration_that_cannot_be_applied_changes_nothing(
    path: Path, content: object, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    file = declared(path)
    before = file.declaration, file.digest
    write(path, content)
    assert [file.reload(), file.reload()] == [False, False]
    assert (file.declaration, file.digest) == before
    assert reason in file.error
    assert caplog.text.count("is not applied") == 1
    write(path, DECLARED)
    assert not file.reload()
    assert file.error == ""


def test_a_missing_file_changes_nothing(path: Path) -> None:
    file = declared(path)
    path.unlink()
    assert [file.reload(), file.reload()] == [False, False]
    assert "No such file" in file.error
    write(path, DECLARED)
    assert not file.reload()
    assert file.error == ""
