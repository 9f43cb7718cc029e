# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Components of an image, from its file system as a tar stream.

Packages, jars, Python packages and the JDK are described by their own metadata; names of licences
are copied from there unchanged. Runs on the host that has the image, with Python 3.9 or later and
its standard library only.
"""

from __future__ import annotations

import hashlib
import io
import re
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from email.parser import HeaderParser
from typing import IO, Any

OS_RELEASE = "usr/lib/os-release"
DPKG_STATUS = "var/lib/dpkg/status"
JAVA_RELEASE = re.compile(r"opt/[^/]+/release")
COPYRIGHT = re.compile(r"usr/share/doc/([^/]+)/copyright")
# Jars that are part of a JDK, of py4j, or of a Quarkus application.
PART = re.compile(
    r"/jrt-fs\.jar$|/share/py4j/|/quarkus-run\.jar$|/quarkus/(?:generated|transformed)-bytecode\.jar$"
)
QUARKUS_LIST = re.compile(r"(?:.*/)?quarkus-app-dependencies\.txt")
# Python packages of the distribution are counted with its own packages.
METADATA = re.compile(r"(?!usr/lib/python3/).*\.dist-info/METADATA")
POM = re.compile(r"META-INF/maven/([^/]+)/([^/]+)/pom\.(?:xml|properties)")
APACHE = re.compile(rb"\s*Apache License\s+Version 2\.0, January 2004")
MANIFEST = "META-INF/MANIFEST.MF"
LICENCE_FILES = ("META-INF/LICENSE", "META-INF/LICENSE.txt", "META-INF/LICENSE.md", "LICENSE")


def components(stream: IO[bytes]) -> list[dict[str, Any]]:
    """Return components of the file system in ``stream``, each with ``kind`` and its metadata.

    ``deb``: name, version, architecture, distribution (the release's name). ``jar``: file (its
    name), sha256, poms (group, artifact, version: as an application lists it, and of each packed
    artifact). ``python``: name, version. ``java``: version. All have licences, a list of names
    or URLs. Raises ValueError when the archive is incomplete.
    """
    packages: list[dict[str, Any]] = []
    release = ""
    licences: dict[str, list[str]] = {}
    # A package may link its documentation to that of another package.
    links: dict[str, str] = {}
    found: list[dict[str, Any]] = []
    listed: dict[str, list[str]] = {}
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for entry in archive:
                name = entry.name.lstrip("./")
                if entry.issym() and name.startswith("usr/share/doc/"):
                    links[name.rsplit("/", 1)[1]] = entry.linkname.rsplit("/", 1)[-1]
                opened = archive.extractfile(entry) if entry.isfile() else None
                if opened is None:
                    continue
                if name == DPKG_STATUS:
                    packages = list(debian_packages(opened.read().decode()))
                elif name == OS_RELEASE:
                    release = codename(opened.read().decode())
                elif match := COPYRIGHT.fullmatch(name):
                    licences[match[1]] = debian_licences(opened.read().decode(errors="replace"))
                elif name.endswith(".jar") and not PART.search(name):
                    found += describe_jar(name.rsplit("/", 1)[-1], opened.read())
                elif QUARKUS_LIST.fullmatch(name):
                    listed.update(quarkus_libraries(opened.read().decode()))
                elif METADATA.fullmatch(name):
                    found.append(python_package(opened.read().decode()))
                elif JAVA_RELEASE.fullmatch(name):
                    found += describe_jdk(opened.read().decode())
    except (tarfile.TarError, zipfile.BadZipFile) as error:
        raise ValueError(f"the archive of the file system is incomplete: {error}") from error
    for package in packages:
        folder = links.get(package["name"], package["name"])
        package |= {"distribution": release, "licences": licences.get(folder, [])}
    for each in found:
        if each.get("file") in listed:
            each["poms"].insert(0, listed[each["file"]])
    return packages + found


def codename(os_release: str) -> str:
    """Return the distribution's release name, such as trixie, from the text of os-release."""
    found = re.search(r"^VERSION_CODENAME=(.+)$", os_release, re.MULTILINE)
    return found[1].strip('"') if found else ""


def debian_packages(status: str) -> Iterator[dict[str, Any]]:
    """Installed packages from the text of dpkg's status file."""
    for paragraph in status.split("\n\n"):
        fields = HeaderParser().parsestr(paragraph)
        if str(fields.get("Status", "")).endswith(" installed"):
            yield {
                "kind": "deb",
                "name": fields["Package"],
                "version": fields["Version"],
                "architecture": fields["Architecture"],
            }


def debian_licences(text: str) -> list[str]:
    """Return short names of licences in a package's copyright file, in order of the file.

    Empty unless the file has Debian's machine-readable format: a licence named in plain text may
    apply to a small part only.
    """
    if not text.startswith("Format:"):
        return []
    names = []
    for paragraph in re.split(r"\n\s*\n", text):
        if re.search(r"^Files:", paragraph, re.MULTILINE):
            name = re.search(r"^License:[ \t]*(.+)$", paragraph, re.MULTILINE)
            names += [name[1].strip()] if name else []
    return list(dict.fromkeys(names))


def quarkus_libraries(text: str) -> Iterator[tuple[str, list[str]]]:
    """File, and group, artifact and version, of each library in a Quarkus application's list.

    A line is group:artifact:classifier:type:version; the file's name begins with the group.
    """
    for line in text.split():
        group, artifact, classifier, type_, version = line.split(":")
        end = f"-{classifier}" if classifier else ""
        yield f"{group}.{artifact}-{version}{end}.{type_}", [group, artifact, version]


def describe_jar(file: str, content: bytes) -> list[dict[str, Any]]:
    """Return name, version and licences from a jar's POM, manifest and licence texts.

    Empty for a jar with nothing but a manifest: it stands in for one that was taken out.
    """
    poms: dict[tuple[str, str], str] = {}
    texts: dict[tuple[str, str], str] = {}
    manifest, apache = "", False
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        if names == [MANIFEST]:
            return []
        for name in names:
            if match := POM.fullmatch(name):
                text = archive.read(name).decode(errors="replace")
                if name.endswith(".properties"):
                    version = re.search(r"^version\s*=\s*(\S+)", text, re.MULTILINE)
                    poms[match[1], match[2]] = version[1] if version else ""
                else:
                    texts[match[1], match[2]] = text
            elif name == MANIFEST:
                manifest = archive.read(name).decode(errors="replace")
            elif name in LICENCE_FILES:
                apache = apache or APACHE.match(archive.read(name)) is not None
    named = bundle_licences(manifest) or pom_licences(file, texts)
    return [
        {
            "kind": "jar",
            "file": file,
            "sha256": hashlib.sha256(content).hexdigest(),
            "poms": [[*name, version] for name, version in poms.items()],
            "licences": list(dict.fromkeys(named or (["Apache-2.0"] if apache else []))),
        }
    ]


def pom_licences(file: str, texts: Mapping[tuple[str, str], str]) -> list[str]:
    """Return licences from the POM of a jar; ``texts`` are POMs by group and artifact.

    Other POMs in the jar belong to artifacts that are packed into it.
    """
    return [
        name.strip()
        for (group, artifact), text in texts.items()
        if file.startswith((f"{artifact}-", f"{artifact}.", f"{group}.{artifact}-"))
        for name in re.findall(r"<license>.*?<name>(.*?)</name>", text, re.DOTALL)
    ]


def bundle_licences(manifest: str) -> list[str]:
    """Return licences from a jar's manifest, whose lines are folded."""
    lines = re.sub(r"\r?\n ", "", manifest)
    found = re.search(r"^Bundle-License:\s*(.+)$", lines, re.MULTILINE)
    # Each entry may have attributes after a semicolon; they are dropped. A name may have a comma.
    text = found[1] if found else ""
    names = [text] if '"' in text else re.split(r",(?!\s*version\b)", text, flags=re.IGNORECASE)
    return [name.split(";")[0].strip().strip('"') for name in names if name]


def python_package(text: str) -> dict[str, Any]:
    """Describe a Python package by the text of its METADATA."""
    fields = HeaderParser().parsestr(text)
    classifiers = [
        each.rsplit(" :: ", 1)[1]
        for each in fields.get_all("Classifier", [])
        if each.startswith("License :: ") and each.count(" :: ") > 1
    ]
    # Some packages have the whole licence text in this field.
    plain = str(fields.get("License", "")).strip()
    licence = fields.get("License-Expression") or (plain if "\n" not in plain else "")
    return {
        "kind": "python",
        "name": fields["Name"],
        "version": fields["Version"],
        "licences": [str(licence)] if licence and str(licence) != "UNKNOWN" else classifiers,
    }


def describe_jdk(release: str) -> list[dict[str, Any]]:
    """Describe the JDK by the text of its release file; empty when it names no version."""
    version = re.search(r'^JAVA_VERSION="(.+)"$', release, re.MULTILINE)
    licences = ["GPL-2.0-only WITH Classpath-exception-2.0"]
    return [{"kind": "java", "version": version[1], "licences": licences}] if version else []
