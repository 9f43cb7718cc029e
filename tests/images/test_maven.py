"""Maven in the image `builder` verifies checksums of downloaded files."""

import hashlib
import subprocess
from pathlib import Path

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._images.images import catalogue, find

FILE = "org/example/parent/1/parent-1.pom"
PARENT = """<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId>
<artifactId>parent</artifactId><version>1</version><packaging>pom</packaging></project>"""
# A project of which Maven downloads only the parent, from a repository in a directory.
CHILD = """<project><modelVersion>4.0.0</modelVersion>
<parent><groupId>org.example</groupId><artifactId>parent</artifactId><version>1</version>
<relativePath/></parent><artifactId>child</artifactId><packaging>pom</packaging>
<repositories><repository><id>central</id><url>file:///build/repository</url></repository>
</repositories></project>"""
SHA256 = hashlib.sha256(PARENT.encode()).hexdigest()


@pytest.fixture(scope="session")
def builder() -> str:
    """Build the image `builder` if it is missing; return its reference."""
    wanted = find("builder", catalogue())
    present = subprocess.run(["docker", "image", "inspect", wanted.reference], capture_output=True)
    if present.returncode:
        arguments = [f"--build-arg={name}={value}" for name, value in wanted.build_args.items()]
        command = ["docker", "build", "--quiet", f"--tag={wanted.reference}", *arguments]
        subprocess.run([*command, wanted.context], check=True, capture_output=True, timeout=900)
    return wanted.reference


def build(
    builder: str, folder: Path, *, served: str | None, listed: str, present: bool = True
) -> tuple[int, str]:
    """Run Maven; return its exit code and output.

    ``served``: the checksum in the repository; None for none. ``listed``: the project's list.
    ``present``: whether the repository has the file.
    """
    file = folder / "repository" / FILE
    file.parent.mkdir(parents=True)
    if present:
        file.write_text(PARENT)
    if served is not None:
        file.with_name(f"{file.name}.sha1").write_text(served)
    (folder / "pom.xml").write_text(CHILD)
    (folder / "checksums.sha256").write_text(listed)
    done = subprocess.run(
        [
            *("docker", "run", "--rm", "--network", "none", "--volume", f"{folder}:/build:ro"),
            *(builder, "mvn", "--file", "/build/pom.xml", "validate"),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def sha1(text: str) -> str:
    return hashlib.sha1(text.encode()).hexdigest()


def test_a_file_with_right_checksums_is_accepted(builder: str, tmp_path: Path):
    found = build(builder, tmp_path, served=sha1(PARENT), listed=f"{SHA256}  {FILE}\n")
    assert found == (0, "")


def test_a_damaged_file_fails_the_build(builder: str, tmp_path: Path):
    code, text = build(builder, tmp_path, served=sha1("other"), listed=f"{SHA256}  {FILE}\n")
    assert code != 0
    error = (
        f"Checksum validation failed, expected '{sha1('other')}' (REMOTE_EXTERNAL) but is actually"
    )
    assert f"mvn: {FILE}: Could not transfer artifact org.example:parent:pom:1 from/to" in text
    assert f"{error} '{sha1(PARENT)}'" in text.splitlines()[-1]


def test_a_file_without_a_checksum_in_its_repository_fails_the_build(builder, tmp_path: Path):
    code, text = build(builder, tmp_path, served=None, listed=f"{SHA256}  {FILE}\n")
    assert code != 0
    assert "Checksum validation failed, no checksums available" in text.splitlines()[-1]


def test_a_file_that_the_repository_replaced_fails_the_build(builder: str, tmp_path: Path):
    listed = f"{'0' * 64}  {FILE}\n"
    code, text = build(builder, tmp_path, served=sha1(PARENT), listed=listed)
    assert code != 0
    assert f"trusted checksum mismatch: summaryFile={'0' * 64}; calculated={SHA256}" in text


def test_an_unlisted_file_fails_the_build(builder: str, tmp_path: Path):
    code, text = build(builder, tmp_path, served=sha1(PARENT), listed="")
    assert code != 0
    assert "Missing from summaryFile trusted checksum(s) [SHA-256] for artifact org.example" in text


def test_a_missing_file_is_named(builder: str, tmp_path: Path):
    code, text = build(builder, tmp_path, served=None, listed="", present=False)
    assert code != 0
    assert text.splitlines()[-1] == f"mvn: {FILE}: no repository has it"
