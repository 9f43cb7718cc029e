"""A driver applies another declaration in its file, unless that needs another session."""

from pathlib import Path

import pytest
import yaml
from conftest import SMALLEST
from kafka_metal_declarations.declaration_file import load
from kafka_metal_declarations.keys import DeclarationError
from kafka_metal_declarations.model import Declaration
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
    return DeclaredFile(path, lambda content: load(path, content)["p"])


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
    assert (file.declaration == before, file.error) == (False, "")
    assert file.digest == digest(path.read_bytes())
    assert not file.reload()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (DECLARED | {"resources": {"cores": 4}}, NEW_DRIVER),
        (DECLARED | {"master": "spark://other:7077"}, NEW_DRIVER),
        (DECLARED | {"registry": {"urls": ["https://r/v7"]}}, NEW_DRIVER),
        (DECLARED | {"outputs": {}}, "pipeline p: outputs: found"),
        (
            DECLARED | {"source": {"topic": "in", "schema": {"sample": "none.csv"}}},
            "none.csv: [Errno 2]",
        ),
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


def test_a_driver_does_not_start_without_its_file(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match="No such file"):
        declared(tmp_path / "missing.yml")


def test_the_digest_is_of_what_is_parsed(path: Path) -> None:
    """The file may be replaced while it is read, and replaced back."""
    other = DECLARED | {"invalid": "worse"}
    first = path.read_bytes()

    def load_while_replaced(content: bytes) -> Declaration:
        write(path, other)
        return load(path, content)["p"]

    file = DeclaredFile(path, load_while_replaced)
    assert (file.digest, file.declaration.invalid) == (digest(first), "bad")
    assert file.reload()
    assert (file.digest, file.declaration.invalid) == (digest(path.read_bytes()), "worse")
