"""Drills and scenarios do not run with `make check`, but their files can be imported."""

import re
import subprocess
import sys

import pytest

# Directories that can be imported together: those with a conftest.py of their own name are alone.
TOGETHER = (
    ("molecule/metal/tests", "molecule/local/tests", "molecule/local/drills"),
    ("molecule/security/tests",),
    ("molecule/security/drills",),
    ("tests/compose",),
    ("tests/images",),
    ("tests/modes",),
    ("tests/monitoring",),
    ("tests/start",),
    ("tests/storage",),
)


def test_every_directory_of_drills_is_listed(repository):
    listed = re.search(r"^folders=\((.*)\)$", repository.text("scripts/drill"), re.MULTILINE)
    assert set(listed[1].split()) <= {folder for group in TOGETHER for folder in group}


@pytest.mark.parametrize("folders", TOGETHER, ids=lambda folders: folders[0])
def test_pytest_can_import_every_file(repository, folders):
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, f"--rootdir={folders[0]}", *folders],
        cwd=repository.root,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-2000:]
