# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""References of the project's images, from the content of their recipes.

An image's tag is ``<upstream version>-<12 hex digits>``. The digits are a hash of all inputs: the
files of the recipe, the versions, the tags of the parent images and the sources. So an image must
be built exactly if its tag does not exist, and a changed recipe always gets a new tag.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .image_checks import (
    BASE_KEY,
    CATALOGUE_FILE,
    VERSIONS_FILE,
    ImageError,
    build_levels,
    check_entry,
    check_recorded,
    chosen_versions,
    read_mapping,
    recipe_directory,
)
from .image_digests import digest_of_image

REPOSITORY = "kafka-metal"


@dataclass(frozen=True)
class Image:
    """One image of the catalogue with all data for its build.

    ``level`` is the build order: images of one level only depend on lower levels.
    ``build_args`` maps names of build arguments to their values, all text.
    ``context`` is the absolute path of the recipe, ``sources`` are paths relative to the root.
    ``runtime``: containers use the image; other images stay on the build host.
    ``optional``: only hosts whose play requires it by name get the image.
    """

    name: str
    reference: str
    version: str
    level: int
    parents: tuple[str, ...]
    build_args: Mapping[str, str]
    context: str
    sources: tuple[str, ...]
    runtime: bool
    optional: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the image in plain types, as the result of the lookup."""
        repository, tag = self.reference.rsplit(":", 1)
        return {
            "name": self.name,
            "image": self.reference,
            "repository": repository,
            "tag": tag,
            "version": self.version,
            "level": self.level,
            "parents": list(self.parents),
            "build_args": dict(self.build_args),
            "context": self.context,
            "sources": list(self.sources),
            "runtime": self.runtime,
            "optional": self.optional,
        }


def repository_root() -> Path:
    """Root of the repository of this file, with symbolic links resolved."""
    return Path(__file__).resolve().parents[3]


def base_image(versions: Mapping[str, Any]) -> str:
    """Reference of the distribution's image, the base of all others, which has no recipe."""
    return f"debian:{versions[BASE_KEY]}-slim"


def build_arguments(
    entry: Mapping[str, Any], versions: Mapping[str, Any], references: Mapping[str, str]
) -> dict[str, str]:
    """Arguments of the build: versions by upper-case key, parents as ``<NAME>_IMAGE``.

    The distribution's release is passed as its image, ``BASE_IMAGE``; packages of the distribution,
    all with the version in the image's tag, as ``PACKAGES``.
    """
    arguments = {}
    for key in entry.get("uses", []):
        if key == BASE_KEY:
            arguments["BASE_IMAGE"] = base_image(versions)
        else:
            arguments[key.upper()] = str(versions[key])
    if packages := entry.get("packages"):
        version = versions[entry["version"]]
        arguments["PACKAGES"] = " ".join(f"{package}={version}*" for package in packages)
    for parent in entry.get("parents", []):
        arguments[f"{parent.upper()}_IMAGE"] = references[parent]
    return arguments


def catalogue(
    root: Path | None = None,
    registry: str = "",
    wanted: Mapping[str, Any] | None = None,
    recorded: bool = True,
) -> list[Image]:
    """Return all images in build order.

    ``registry`` is the prefix of the references, for example ``registry.example``, and does not
    change a tag. ``wanted`` are versions of the site that replace those in the file; with
    ``recorded`` their checksums must exist. Raises ImageError if a file is missing or invalid.
    """
    root = root or repository_root()
    versions = chosen_versions(read_mapping(root, VERSIONS_FILE), wanted or {})
    entries = read_mapping(root, CATALOGUE_FILE)
    for name, entry in entries.items():
        check_entry(root, name, entry, set(entries), set(versions))
        if recorded:
            check_recorded(root, name, entry, wanted or {})

    parents = {name: tuple(entry.get("parents", [])) for name, entry in entries.items()}
    levels = build_levels(parents)
    prefix = f"{registry.rstrip('/')}/" if registry else ""
    # Tags use references without registry, so that they are the same in every registry.
    plain: dict[str, str] = {}
    full: dict[str, str] = {}
    images = []
    for name in sorted(entries, key=lambda name: (levels[name], name)):
        entry, sources = entries[name], tuple(entries[name].get("sources", []))
        version = str(versions[entry["version"]])
        folder = recipe_directory(root, name, entry)
        digest = digest_of_image(root, folder, build_arguments(entry, versions, plain), sources)
        plain[name] = f"{REPOSITORY}/{name}:{version}-{digest[:12]}"
        full[name] = prefix + plain[name]
        images.append(
            Image(
                name=name,
                reference=full[name],
                version=version,
                level=levels[name],
                parents=parents[name],
                build_args=build_arguments(entry, versions, full),
                context=str(folder),
                sources=sources,
                runtime=bool(entry.get("runtime", False)),
                optional=bool(entry.get("optional", False)),
            )
        )
    return images


def find(name: str, images: list[Image]) -> Image:
    """Return the image ``name``; raises ImageError with all names."""
    for image in images:
        if image.name == name:
            return image
    known = ", ".join(sorted(image.name for image in images))
    raise ImageError(f"image {name} is not in {CATALOGUE_FILE}; allowed: {known}")
