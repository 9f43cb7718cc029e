"""scripts/bootstrap skips uv only if nothing that determines the environment has changed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Writes an environment of one package, and its arguments to a log.
UV = """#!/bin/sh
[ "$1" = export ] && exit
echo "$*" >>uv.log
[ ! -e fails ] || exit 1
packages=.venv/lib/python3.{minor}/site-packages
rm -f .venv/bin/python
mkdir -p .venv/bin "$packages/ansible-1.dist-info" "$packages/ansible_collections"
touch "$packages/ansible_collections/__init__.py"
printf '#!/bin/sh\\nPYTHONPATH=%s exec {python} "$@"\\n' "$PWD/$packages" >.venv/bin/python
chmod +x .venv/bin/python
"""


class Checkout:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.packages = folder / f".venv/lib/python3.{sys.version_info.minor}/site-packages"
        (folder / "scripts").mkdir()
        (folder / "bin").mkdir()
        (folder / "client").mkdir()
        for name in ("uv.lock", "pyproject.toml", "client/pyproject.toml"):
            (folder / name).write_text("1")
        for name in ("bootstrap", "requirements.txt"):
            shutil.copy(ROOT / "scripts" / name, folder / "scripts")
        python = os.path.realpath(sys.executable)
        (folder / "bin" / f"python3.{sys.version_info.minor}").symlink_to(python)
        uv = folder / "bin/uv"
        uv.write_text(UV.format(minor=sys.version_info.minor, python=python))
        uv.chmod(0o755)

    def run(self, *arguments: str) -> list[str]:
        """Run the script; return the arguments of each ``uv sync`` of this run."""
        log = self.folder / "uv.log"
        log.unlink(missing_ok=True)
        environment = {
            "PATH": f"{self.folder}/bin:/usr/bin:/bin",
            "PYENV_ROOT": str(self.folder / "pyenv"),
            "HOME": str(self.folder),
        }
        subprocess.run(
            [self.folder / "scripts/bootstrap", *arguments],
            env=environment,
            check=not (self.folder / "fails").exists(),
        )
        return log.read_text().splitlines() if log.exists() else []


@pytest.fixture
def checkout(tmp_path) -> Checkout:
    found = Checkout(tmp_path)
    assert found.run("--no-dev") == ["sync --frozen --quiet --no-dev"]
    assert found.run("--no-dev") == []
    return found


def test_other_arguments_synchronize(checkout):
    assert checkout.run() == ["sync --frozen --quiet"]
    assert checkout.run() == []
    assert checkout.run("--no-dev") != []


@pytest.mark.parametrize(
    "name",
    [
        *("uv.lock", "pyproject.toml", "client/pyproject.toml"),
        *("scripts/bootstrap", "scripts/requirements.txt"),
    ],
)
def test_a_changed_input_synchronizes(checkout, name):
    with (checkout.folder / name).open("a") as file:
        file.write("\n")

    assert checkout.run("--no-dev") != []
    assert checkout.run("--no-dev") == []


def test_a_newer_interpreter_synchronizes(checkout):
    newer = checkout.folder / "pyenv/versions/3.14.9/bin/python3"
    newer.parent.mkdir(parents=True)
    newer.write_text("#!/bin/sh\nexit 1\n")
    newer.chmod(0o755)

    assert checkout.run("--no-dev") != []


def remove_package(checkout):
    (checkout.packages / "ansible-1.dist-info").rmdir()


def remove_environment(checkout):
    shutil.rmtree(checkout.folder / ".venv")


def remove_interpreter(checkout):
    python = checkout.folder / ".venv/bin/python"
    python.unlink()
    python.symlink_to("/nonexistent/python3")


def break_interpreter(checkout):
    (checkout.folder / ".venv/bin/python").write_text("#!/bin/sh\nexit 127\n")


def redirect_collection(checkout):
    link = checkout.packages / "ansible_collections/metal/kafka"
    link.unlink()
    link.symlink_to("/elsewhere")


@pytest.mark.parametrize(
    "damage",
    [
        *(remove_package, remove_environment, remove_interpreter, break_interpreter),
        redirect_collection,
    ],
)
def test_a_damaged_environment_is_repaired(checkout, damage):
    damage(checkout)

    assert checkout.run("--no-dev") != []
    assert checkout.run("--no-dev") == []
    link = checkout.packages / "ansible_collections/metal/kafka"
    assert link.resolve() == checkout.folder


def test_an_interrupted_run_is_repeated(checkout):
    (checkout.folder / "uv.lock").write_text("2")
    (checkout.folder / "fails").touch()
    checkout.run("--no-dev")
    (checkout.folder / "uv.lock").write_text("1")
    (checkout.folder / "fails").unlink()

    assert checkout.run("--no-dev") != []
