# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""All components of the platform with their licences, and the images that contain them."""

from __future__ import annotations

import importlib.metadata
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, TypeVar

import yaml

from ...module_utils._containers import image_contents
from .licences import spdx_name

CONTROL_NODE = "control node"
KNOWN = "images/licences.yml"
# Licences of the jars of one image.
OF_IMAGES = "images/*/licences.yml"
LISTS = "images/*/checksums.sha256"
UNKNOWN = "unknown"
T = TypeVar("T")
NUMBERED = re.compile(r"(.+?)-(\d.*)")


@dataclass(frozen=True)
class Component:
    """One component.

    ``kind``: deb, jar, python or java. ``group``: Maven group of a jar. ``architecture`` and
    ``distribution``: of a Debian package. ``licences``: SPDX names if known; several belong to
    parts of the component. ``sha256``: of a jar's file. ``places``: images, or the control node.
    """

    kind: str
    name: str
    version: str
    group: str = ""
    architecture: str = ""
    distribution: str = ""
    licences: tuple[str, ...] = ()
    sha256: str = ""
    places: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Name for display, with the group."""
        return f"{self.group}:{self.name}" if self.group else self.name


class ComponentData:
    """Additional data on components: lists of checksums and licences in ``images``."""

    def __init__(self, root: Path, version: str) -> None:
        """Read the data from the repository; ``version`` is the version of the project's jars."""
        self.version = version
        read = yaml.safe_load((root / KNOWN).read_text())
        self.jars: dict[str, Mapping[str, str]] = dict(read["jars"])
        for path in sorted(root.glob(OF_IMAGES)):
            self.jars |= yaml.safe_load(path.read_text())
        self.packages: Mapping[str, str] = read["packages"]
        lines = (
            line.split() for path in root.glob(LISTS) for line in path.read_text().splitlines()
        )
        self.paths = {sum_: path for sum_, path in lines if path.endswith(".jar")}

    def component(self, found: Mapping[str, Any]) -> Component:
        """Return the component for a result of ``image_contents``."""
        if found["kind"] == "jar":
            return self._jar(found)
        kind, name, licences = found["kind"], found.get("name", "OpenJDK"), tuple(found["licences"])
        if kind == "deb" and not licences:
            licences = tuple(list(_fitting(name, self.packages))[:1])
        return Component(
            kind,
            name,
            found["version"],
            architecture=found.get("architecture", ""),
            distribution=found.get("distribution", ""),
            licences=licences,
        )

    def _jar(self, found: Mapping[str, Any]) -> Component:
        file, stem = found["file"], found["file"].removesuffix(".jar")
        known = next(_fitting(file, self.jars), {})
        group, name, version = self._coordinates(found, stem, known)
        licences = (known["licence"],) if "licence" in known else tuple(found["licences"])
        return Component("jar", name, version, group, licences=licences, sha256=found["sha256"])

    def _coordinates(
        self, found: Mapping[str, Any], stem: str, known: Mapping[str, str]
    ) -> tuple[str, str, str]:
        """Group, name and version from a list, the POM, or the file's name."""
        if path := self.paths.get(found["sha256"]):
            *folders, name, version, _ = path.split("/")
            return ".".join(folders), name, version
        for group_, name, version in found["poms"]:
            full = f"{name}-{version}"
            # Quarkus puts the group before the name.
            if stem == name or stem.startswith((full, f"{group_}.{full}")):
                return group_, name, version
        group = known.get("group", "")
        if match := NUMBERED.fullmatch(stem):
            return group, match[1], match[2]
        return group, stem, self.version if stem.startswith("kafka-metal-") else ""


def _fitting(name: str, patterns: Mapping[str, T]) -> Iterator[T]:
    return (each for pattern, each in patterns.items() if fnmatch(name, pattern))


def normalise(component: Component, place: str) -> Component:
    """Return the component with its place, and with SPDX names of licences."""
    licences = tuple(dict.fromkeys(spdx_name(name) for name in component.licences))
    return replace(component, licences=licences, places=(place,))


def image_components(
    name: str, found: Iterable[Mapping[str, Any]], known: ComponentData
) -> list[Component]:
    """Return the normalised components in the packages found in an image, sorted."""
    return sorted({normalise(known.component(each), name) for each in found}, key=sort_key)


def control_node_components() -> list[Component]:
    """Python packages of Ansible's environment."""
    found = {}
    for distribution in importlib.metadata.distributions():
        each = image_contents.python_package(distribution.read_text("METADATA") or "")
        if each["name"]:
            licences = tuple(each["licences"])
            component = Component("python", each["name"], each["version"], licences=licences)
            found[each["name"].lower()] = normalise(component, CONTROL_NODE)
    return sorted(found.values(), key=sort_key)


def sort_key(component: Component) -> tuple[str, str, str]:
    """Sort key of components."""
    return component.kind, component.title.lower(), component.version


def merge(lists: Iterable[Sequence[Component]]) -> list[Component]:
    """Merge lists: each component once, with all of its places."""
    together: dict[Component, list[str]] = {}
    for component in (each for listed in lists for each in listed):
        together.setdefault(replace(component, places=()), []).extend(component.places)
    found = [replace(each, places=tuple(places)) for each, places in together.items()]
    return sorted(found, key=sort_key)


def table(components: Sequence[Component], places: int) -> str:
    """Text with one line per component, the numbers by licence, and the unknown licences.

    ``places``: the number of all places, for components that are in all images.
    """
    rows = [
        (each.kind, each.title, each.version, _licence(each), _where(each, places))
        for each in components
    ]
    rows.insert(0, ("kind", "component", "version", "licence", "where"))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = ["  ".join([*map(str.ljust, row, widths), row[4]]).rstrip() for row in rows]
    counts = Counter(name for each in components for name in each.licences[:1] or (UNKNOWN,))
    lines += ["", "components by licence:"]
    lines += [f"{count:5}  {name}" for name, count in counts.most_common()]
    unknown = [f"{each.title} {each.version}" for each in components if not each.licences]
    lines += ["", f"licence unknown: {', '.join(unknown) or 'none'}"]
    return "".join(f"{line}\n" for line in lines)


def _licence(component: Component) -> str:
    first, *others = component.licences or (UNKNOWN,)
    return f"{first[:36]} and {len(others)} more" if others else first[:48]


def _where(component: Component, places: int) -> str:
    return "all images" if len(component.places) == places > 1 else ", ".join(component.places)
