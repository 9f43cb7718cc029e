# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Validation of the catalogue of images and of versions.yml."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

CATALOGUE_FILE = "images/images.yml"
VERSIONS_FILE = "versions.yml"
CHECKSUMS_FILE = "checksums.sha256"
KNOWN_KEYS = {
    *("version", "recipe", "packages", "parents", "uses", "sources", "runtime", "optional"),
}
# Key of the release of the distribution's base image.
BASE_KEY = "debian"


class ImageError(Exception):
    """A recipe or the catalogue of images is invalid; the message has the place and the reason."""


def read_mapping(root: Path, name: str) -> dict[str, Any]:
    """Read the YAML mapping in file ``name`` under ``root``.

    Raises ImageError if the file is missing, is not YAML or is not a mapping.
    """
    path = root / name
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ImageError(f"{name}: no such file under {root}") from None
    except yaml.YAMLError as error:
        raise ImageError(f"{name}: is not valid YAML: {error}") from None
    if not isinstance(content, dict):
        raise ImageError(f"{name}: must be a mapping of names")
    return content


def recipe_directory(root: Path, name: str, entry: Mapping[str, Any]) -> Path:
    """Directory of the recipe of image ``name``, which images may share."""
    return root / "images" / str(entry.get("recipe", name))


def check_entry(root: Path, name: str, entry: Any, names: set[str], versions: set[str]) -> None:
    """Raise ImageError if the entry of image ``name`` is invalid."""
    where = f"{CATALOGUE_FILE}: image {name}"
    if not isinstance(entry, dict):
        raise ImageError(f"{where}: must be a mapping with {', '.join(sorted(KNOWN_KEYS))}")
    unknown = sorted(set(entry) - KNOWN_KEYS)
    if unknown:
        raise ImageError(f"{where}: unknown key {unknown[0]}; known: {sorted(KNOWN_KEYS)}")
    if "version" not in entry:
        raise ImageError(f"{where}: has no version, a key of {VERSIONS_FILE}")
    for key in [entry["version"], *entry.get("uses", [])]:
        if key not in versions:
            raise ImageError(f"{where}: {key} is not a key of {VERSIONS_FILE}")
    for parent in entry.get("parents", []):
        if parent not in names:
            raise ImageError(f"{where}: parent {parent} is not an image; allowed: {sorted(names)}")
    if not (recipe_directory(root, name, entry) / "Dockerfile").is_file():
        raise ImageError(f"{where}: has no recipe images/{entry.get('recipe', name)}/Dockerfile")
    for source in entry.get("sources", []):
        if not (root / source).exists():
            raise ImageError(f"{where}: source {source} does not exist")


def build_levels(parents: Mapping[str, tuple[str, ...]]) -> dict[str, int]:
    """Build level of each image: 0 without parents, or else one more than the highest parent.

    Raises ImageError with the images of a cycle.
    """
    levels: dict[str, int] = {}
    remaining = dict(parents)
    while remaining:
        ready = [name for name, needs in remaining.items() if set(needs) <= set(levels)]
        if not ready:
            cycle = ", ".join(sorted(remaining))
            raise ImageError(f"{CATALOGUE_FILE}: built from each other: {cycle}")
        for name in ready:
            levels[name] = 1 + max((levels[parent] for parent in remaining[name]), default=-1)
        for name in ready:
            del remaining[name]
    return levels


def chosen_versions(versions: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """``versions`` with the site's versions; raises ImageError for an unknown key."""
    if not isinstance(wanted, Mapping):
        raise ImageError(
            f"image_versions: found {wanted!r}; allowed: a mapping of keys of {VERSIONS_FILE}"
        )
    unknown = sorted(str(key) for key in wanted if key not in versions)
    if unknown:
        known = ", ".join(sorted(versions))
        raise ImageError(
            f"image_versions: found key {unknown[0]}; allowed: keys of {VERSIONS_FILE}: {known}"
        )
    return {**versions, **wanted}


def check_recorded(
    root: Path, name: str, entry: Mapping[str, Any], wanted: Mapping[str, Any]
) -> None:
    """Raise ImageError for a version without checksums in the recipe.

    A recipe without a list of checksums downloads no such files. Packages of the distribution are
    not listed: apt verifies them.
    """
    folder = recipe_directory(root, name, entry)
    if not (folder / CHECKSUMS_FILE).is_file():
        return
    lists = [folder / each for each in (CHECKSUMS_FILE, "requirements.txt")]
    text = "".join(path.read_text(encoding="ascii") for path in lists if path.is_file())
    for key in (set(entry.get("uses", [])) & set(wanted)) - {BASE_KEY}:
        # In org/apache/kafka/kafka_2.13/3.9.2/kafka_2.13-3.9.2.jar, or pyspark==4.2.1
        version = re.escape(str(wanted[key]))
        if not re.search(rf"[/_]{version}/|=={version} ", text):
            raise ImageError(
                f"image_versions: found {key} {wanted[key]}; allowed: a version with checksums in "
                f"{folder.relative_to(root)}; to record them, see "
                "docs/operate/guides/supply-chain.md"
            )
