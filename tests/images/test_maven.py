"""What Maven of the image `builder` does where a file is not what it should be."""

import hashlib
import subprocess
from pathlib import Path

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._images.images import catalogue, find

FILE = "org/example/parent/1/parent-1.pom"
PARENT = """<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId>
<artifactId>parent</artifactId><version>1</version><packaging>pom</packaging></project>"""
# A repository of files, whose parent descriptor is the one thing that is fetched.
CHILD = """<project><modelVersion>4.0.0</modelVersion>
<parent><groupId>org.example</groupId><artifactId>parent</artifactId><version>1</version>
<relativePath/></parent><artifactId>child</artifactId><packaging>pom</packaging>
<repositories><repository><id>central</id><url>file:///build/repository</url></repository>
</repositories></project>"""
SHA256 = hashlib.sha256(PARENT.encode()).hexdigest()


@pytest.fixture(scope="session")
def builder() -> str:
    """The image that builds others; it need not be there where others are."""
    wanted = find("builder", catalogue())
    there = subprocess.run(["docker", "image", "inspect", wanted.reference], capture_output=True)
    if there.returncode:
        arguments = [f"--build-arg={name}={value}" for name, value in wanted.build_args.items()]
        command = ["docker", "build", "--quiet", f"--tag={wanted.reference}", *arguments]
        subprocess.run([*command, wanted.context], check=True, capture_output=True, timeout=900)
    return wanted.reference


def build(
    builder: str, folder: Path, *, served: str | None, listed: str, there: bool = True
) -> tuple[int, str]:
    """Exit code and output of Maven.

    ``served``: the checksum that the repository gives beside the file. ``listed``: our list.
    """
    file = folder / "repository" / FILE
    file.parent.mkdir(parents=True)
    if there:
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


def test_a_file_that_is_what_everybody_says_is_taken(builder: str, tmp_path: Path):
    found = build(builder, tmp_path, served=sha1(PARENT), listed=f"{SHA256}  {FILE}\n")
    assert found == (0, "")


def test_a_file_that_was_damaged_on_the_way_ends_the_build(builder: str, tmp_path: Path):
    code, text = build(builder, tmp_path, served=sha1("other"), listed=f"{SHA256}  {FILE}\n")
    assert code != 0
    why = (
        f"Checksum validation failed, expected '{sha1('other')}' (REMOTE_EXTERNAL) but is actually"
    )
    assert f"mvn: {FILE}: Could not transfer artifact org.example:parent:pom:1 from/to" in text
    assert f"{why} '{sha1(PARENT)}'" in text.splitlines()[-1]


def test_a_file_without_a_checksum_of_its_repository_ends_the_build(builder, tmp_path: Path):
    code, text = build(builder, tmp_path, served=None, listed=f"{SHA256}  {FILE}\n")
    assert code != 0
    assert "Checksum validation failed, no checksums available" in text.splitlines()[-1]


def test_a_file_that_the_repository_exchanged_ends_the_build(builder: str, tmp_path: Path):
    listed = f"{'0' * 64}  {FILE}\n"
    code, text = build(builder, tmp_path, served=sha1(PARENT), listed=listed)
    assert code != 0
    assert f"trusted checksum mismatch: summaryFile={'0' * 64}; calculated={SHA256}" in text


def test_a_file_that_is_on_no_list_ends_the_build(builder: str, tmp_path: Path):
    code, text = build(builder, tmp_path, served=sha1(PARENT), listed="")
    assert code != 0
    assert "Missing from summaryFile trusted checksum(s) [SHA-256] for artifact org.example" in text


def test_a_file_that_is_not_there_is_named(builder: str, tmp_path: Path):
    code, text = build(builder, tmp_path, served=None, listed="", there=False)
    assert code != 0
    assert text.splitlines()[-1] == f"mvn: {FILE}: no repository has it"
