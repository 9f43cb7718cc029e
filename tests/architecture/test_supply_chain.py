"""Every package from a registry is installed with a recorded checksum, in images and here."""

import re
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = sorted(
    path
    for path in ROOT.glob("*/**/requirements*.txt")
    # For sites that choose versions themselves, as Ansible's own requirements do.
    if path.parent.name != "meta"
    if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
)
RECIPES = sorted(
    path
    for folder in ("images/*", "bench/**", "molecule/shared/*")
    for path in ROOT.glob(f"{folder}/Dockerfile")
)
WITH_MAVEN = [path for path in RECIPES if re.search(r"^RUN mvn|&& mvn", path.read_text(), re.M)]
POMS = [path.parent / "pom.xml" for path in WITH_MAVEN if (path.parent / "pom.xml").exists()]
SCRIPTS = [path for path in (ROOT / "scripts").iterdir() if path.is_file()]
LOCK = tomllib.loads((ROOT / "uv.lock").read_text())
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
VERSIONS = yaml.safe_load((ROOT / "versions.yml").read_text())
MEMBERS = PROJECT["tool"]["uv"]["workspace"]["members"]


def name(path):
    return str(path.relative_to(ROOT))


def commands(path):
    """Commands of a script or recipe, one per line, without comments."""
    lines = [line for line in path.read_text().splitlines() if not line.lstrip().startswith("#")]
    text = "\n".join(lines).replace("\\\n", " ")
    return re.split(r"\n|&&|\|\||\|", text)


def requirements(path):
    text = path.read_text().replace("\\\n", " ")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def locked(package):
    return next(each for each in LOCK["package"] if each["name"] == package)


@pytest.mark.parametrize("path", REQUIREMENTS, ids=name)
def test_every_requirement_has_a_version_and_a_hash(path):
    without = [
        line.split()[0]
        for line in requirements(path)
        if not re.match(r"[\w.-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", line)
    ]
    assert without == []


def test_pip_always_requires_hashes():
    found = [
        f"{name(path)}: {' '.join(command.split())}"
        for path in (*RECIPES, *SCRIPTS)
        for command in commands(path)
        if re.search(r"\bpip\b[^#]* (install|download|wheel)\b", command)
        and "--require-hashes" not in command
        # A wheel that was just built from sources, with installed tools.
        and not {"--no-index", "--no-build-isolation"} & set(command.split())
    ]
    assert found == []


def test_build_tools_of_packages_are_locked():
    build = PROJECT["dependency-groups"]["build"]
    for member in MEMBERS:
        package = tomllib.loads((ROOT / member / "pyproject.toml").read_text())
        assert set(package["build-system"]["requires"]) <= set(build), member
        assert package["project"]["name"] in PROJECT["tool"]["uv"]["no-build-isolation-package"]
    assert "build" in PROJECT["tool"]["uv"]["default-groups"]
    # Needed by hatchling for editable installs.
    assert any(each.startswith("editables==") for each in build)
    tools = {line.split("==")[0] for line in requirements(ROOT / "images/builder/requirements.txt")}
    assert tools >= {each.split("==")[0] for each in build}


@pytest.mark.parametrize("path", REQUIREMENTS, ids=name)
def test_binary_packages_are_locked_for_both_architectures(path):
    for line in requirements(path):
        package = locked(line.split("==")[0])
        files = [wheel["url"] for wheel in package.get("wheels", [])]
        if any(file.endswith("-none-any.whl") for file in files) or not files:
            continue
        hashes = line.split()
        for machine in ("x86_64", "aarch64"):
            assert any(
                "manylinux" in wheel["url"]
                and machine in wheel["url"]
                and f"--hash={wheel['hash']}" in hashes
                for wheel in package["wheels"]
            ), f"{package['name']} on {machine}"


def test_maven_requires_recorded_checksums():
    [words] = re.findall(r'^ENV MAVEN_ARGS="(.*?)"', (ROOT / "images/builder/Dockerfile")
                         .read_text().replace("\\\n", ""), re.M)  # fmt: skip
    trusted = "-Daether.artifactResolver.postProcessor.trustedChecksums"
    source = "-Daether.trustedChecksumsSource.summaryFile"
    assert set(words.split()) >= {
        "--strict-checksums",
        f"{trusted}=true",
        f"{trusted}.failIfMissing=true",
        f"{trusted}.checksumAlgorithms=SHA-256",
        f"{source}=true",
        f"{source}.basedir=/build",
        f"{source}.originAware=false",
    }


@pytest.mark.parametrize("path", WITH_MAVEN, ids=name)
def test_recipes_with_maven_use_a_checksum_list(path):
    text = path.read_text()
    assert "FROM ${BUILDER_IMAGE} AS jars\n" in text
    assert re.search(r"^COPY .*\bchecksums\.sha256 /build/$", text, re.M)
    assert "ARG RECORD_CHECKSUMS=false\n" in text
    assert "MAVEN_ARGS" not in text
    lines = (path.parent / "checksums.sha256").read_text().splitlines()
    assert lines
    assert [line for line in lines if not re.fullmatch(r"[0-9a-f]{64}  [\w./+-]+", line)] == []


@pytest.mark.parametrize("path", POMS, ids=name)
def test_checksum_lists_have_every_declared_jar(path):
    space = {"m": "http://maven.apache.org/POM/4.0.0"}
    command = next(each for each in commands(path.with_name("Dockerfile")) if " mvn " in f" {each}")
    arguments = dict(re.findall(r'"-D([\w.]+)=\$\{(\w+)\}"', command))

    def filled(text):
        return re.sub(
            r"\$\{([\w.]+)\}", lambda found: str(VERSIONS[arguments[found[1]].lower()]), text
        )

    files = path.with_name("checksums.sha256").read_text()
    missing = []
    for dependency in (
        ElementTree.parse(path).getroot().findall("m:dependencies/m:dependency", space)
    ):
        group, artifact, version = (
            filled(dependency.findtext(f"m:{part}", "", space))
            for part in ("groupId", "artifactId", "version")
        )
        file = f"{group.replace('.', '/')}/{artifact}/{version}/{artifact}-{version}.jar"
        if f"  {file}\n" not in files:
            missing.append(f"{group}:{artifact}:{version}: run scripts/record-checksums")
    assert missing == []


def test_checksum_list_has_the_built_version_of_the_agent():
    file = f"jmx_prometheus_javaagent-{VERSIONS['jmx_agent']}.jar"
    assert file in (ROOT / "images/jre/checksums.sha256").read_text()


def test_spark_requirement_has_the_built_version():
    lines = requirements(ROOT / "images/spark/requirements.txt")
    assert f"pyspark=={VERSIONS['spark']}" in [line.split()[0] for line in lines]


def test_images_keep_licences_of_packages():
    found = [
        name(path)
        for path in RECIPES
        if "builder" not in path.parts
        and "/usr/share/doc " in path.read_text().replace("find /usr/share/doc ", "")
    ]
    assert found == []
