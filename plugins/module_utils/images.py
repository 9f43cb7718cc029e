# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Names of the project's own images, from the content of their recipes.

An image's tag is ``<upstream version>-<12 hex digits>``. The digits are a hash of everything that
goes into the image: the files of its recipe, the versions it uses, the tags of the images it is
built from and the sources it takes in. So "is this tag there" is the whole question of whether a
build is needed, and a changed recipe never hides behind an old name.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import yaml

REPOSITORY = "kafka-metal"
CATALOGUE_FILE = "images/images.yml"
VERSIONS_FILE = "versions.yml"
CHECKSUMS_FILE = "checksums.sha256"
KNOWN_KEYS = {
    *("version", "recipe", "packages", "parents", "uses", "sources", "runtime", "optional"),
}
# A recipe that uses this version stands on the distribution's base image of that release.
BASE_KEY = "debian"

# What tools leave behind beside a source; it never gets into an image.
LITTER = (
    "__pycache__",
    "*.pyc",
    "*.egg-info",
    ".DS_Store",
    ".*_cache",
    ".venv",
    "build",
    "dist",
    "*~",
    ".*.sw?",
)


class ImageError(Exception):
    """A recipe or the catalogue of images cannot be used; the text names which and why."""


@dataclass(frozen=True)
class Image:
    """One image of the catalogue with everything that a build needs.

    ``level`` is the build order: images of one level depend on lower levels only.
    ``build_args`` maps names of build arguments to their values, all text.
    ``context`` is the absolute path of the recipe, ``sources`` are paths relative to the root.
    ``runtime`` says whether containers run from it; the others stay on the build host.
    ``optional`` ones are for hosts whose play asks for them by name.
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
        """The image in plain types, as the lookup gives it to a play."""
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
    """Root of the repository that this file belongs to, also when it is reached by a link."""
    return Path(__file__).resolve().parents[2]


def read_mapping(root: Path, name: str) -> dict[str, Any]:
    """The YAML mapping in file ``name`` under ``root``.

    Raises ImageError when the file is missing, is not YAML or holds something else.
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


def is_litter(name: str) -> bool:
    """Whether a file or directory of this name is left behind by a tool."""
    return any(fnmatch(name, pattern) for pattern in LITTER)


def files_under(path: Path) -> Iterator[Path]:
    """Files of ``path`` (itself when it is a file), sorted, without litter."""
    if path.is_file():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not is_litter(name)]
        for name in names:
            if not is_litter(name):
                yield Path(folder, name)


def digest_of_files(root: Path, path: Path) -> str:
    """Hash over path, executable bit and content of every file under ``path``."""
    total = hashlib.sha256()
    for file in sorted(files_under(path), key=lambda found: found.relative_to(root).as_posix()):
        executable = "x" if file.stat().st_mode & 0o100 else "-"
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        total.update(f"{file.relative_to(root).as_posix()} {executable} {content}\n".encode())
    return total.hexdigest()


def recipe(root: Path, name: str, entry: Mapping[str, Any]) -> Path:
    """Folder of the recipe of image ``name``, its own or one that it shares."""
    return root / "images" / str(entry.get("recipe", name))


def check_entry(root: Path, name: str, entry: Any, names: set[str], versions: set[str]) -> None:
    """Raise ImageError when the entry of image ``name`` cannot be built as it stands."""
    where = f"{CATALOGUE_FILE}: image {name}"
    if not isinstance(entry, dict):
        raise ImageError(f"{where}: must be a mapping with {', '.join(sorted(KNOWN_KEYS))}")
    unknown = sorted(set(entry) - KNOWN_KEYS)
    if unknown:
        raise ImageError(f"{where}: unknown key {unknown[0]}; known: {sorted(KNOWN_KEYS)}")
    if "version" not in entry:
        raise ImageError(f"{where}: names no version, a key of {VERSIONS_FILE}")
    for key in [entry["version"], *entry.get("uses", [])]:
        if key not in versions:
            raise ImageError(f"{where}: {key} is no key of {VERSIONS_FILE}")
    for parent in entry.get("parents", []):
        if parent not in names:
            raise ImageError(f"{where}: parent {parent} is no image; images: {sorted(names)}")
    if not (recipe(root, name, entry) / "Dockerfile").is_file():
        raise ImageError(f"{where}: has no recipe images/{entry.get('recipe', name)}/Dockerfile")
    for source in entry.get("sources", []):
        if not (root / source).exists():
            raise ImageError(f"{where}: source {source} does not exist")


def levels_of(parents: Mapping[str, tuple[str, ...]]) -> dict[str, int]:
    """Build level of every image: 0 without parents, else one more than the highest parent.

    Raises ImageError naming the images that are built from each other.
    """
    levels: dict[str, int] = {}
    waiting = dict(parents)
    while waiting:
        ready = [name for name, needs in waiting.items() if set(needs) <= set(levels)]
        if not ready:
            circle = ", ".join(sorted(waiting))
            raise ImageError(f"{CATALOGUE_FILE}: built from each other: {circle}")
        for name in ready:
            levels[name] = 1 + max((levels[parent] for parent in waiting[name]), default=-1)
        for name in ready:
            del waiting[name]
    return levels


def digest_of_image(
    root: Path, folder: Path, arguments: Mapping[str, str], sources: tuple[str, ...]
) -> str:
    """Hash of everything that goes into the image whose recipe is ``folder``.

    ``arguments`` hold the versions it uses and the references of its parents without registry.
    """
    total = hashlib.sha256()
    total.update(digest_of_files(root, folder).encode())
    for key in sorted(arguments):
        total.update(f"{key}={arguments[key]}\n".encode())
    for source in sorted(sources):
        total.update(f"{source} {digest_of_files(root, root / source)}\n".encode())
    return total.hexdigest()


def base_image(versions: Mapping[str, Any]) -> str:
    """The distribution's image that all others stand on; it is never built from a recipe."""
    return f"debian:{versions[BASE_KEY]}-slim"


def build_arguments(
    entry: Mapping[str, Any], versions: Mapping[str, Any], references: Mapping[str, str]
) -> dict[str, str]:
    """Arguments of the build: used versions by upper-cased key, parents as ``<NAME>_IMAGE``.

    The release of the distribution is given as the image it stands for, ``BASE_IMAGE``; its
    packages, all of the version that the image is tagged with, as ``PACKAGES``.
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


def chosen_versions(versions: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """``versions`` with those that a site wants instead; raises ImageError for one nobody uses."""
    if not isinstance(wanted, Mapping):
        raise ImageError(f"image_versions: must be a mapping of keys of {VERSIONS_FILE}")
    unknown = sorted(str(key) for key in wanted if key not in versions)
    if unknown:
        known = ", ".join(sorted(versions))
        raise ImageError(
            f"image_versions: {unknown[0]} is no key of {VERSIONS_FILE}; keys: {known}"
        )
    return {**versions, **wanted}


def check_recorded(
    root: Path, name: str, entry: Mapping[str, Any], wanted: Mapping[str, Any]
) -> None:
    """Raise ImageError for a wanted version of whose files the recipe has no checksums.

    A recipe without such a list takes no files that would be on one. Packages of the distribution
    are on none: apt checks them.
    """
    folder = recipe(root, name, entry)
    if not (folder / CHECKSUMS_FILE).is_file():
        return
    lists = [folder / each for each in (CHECKSUMS_FILE, "requirements.txt")]
    text = "".join(path.read_text(encoding="ascii") for path in lists if path.is_file())
    for key in (set(entry.get("uses", [])) & set(wanted)) - {BASE_KEY}:
        # In org/apache/kafka/kafka_2.13/3.9.2/kafka_2.13-3.9.2.jar, or pyspark==4.2.1
        version = re.escape(str(wanted[key]))
        if not re.search(rf"[/_]{version}/|=={version} ", text):
            raise ImageError(
                f"image_versions: {key} {wanted[key]}: {folder.relative_to(root)} has no checksums "
                "of this version; docs/supply-chain.md says how they are recorded"
            )


def catalogue(
    root: Path | None = None,
    registry: str = "",
    wanted: Mapping[str, Any] | None = None,
    recorded: bool = True,
) -> list[Image]:
    """All images in build order.

    ``registry`` is put before the references, for example ``registry.example``; it never changes
    a tag. ``wanted`` are versions that a site has instead of those in the file; with
    ``recorded`` their checksums have to be known. Raises ImageError when a file is missing or an
    entry cannot be built.
    """
    root = root or repository_root()
    versions = chosen_versions(read_mapping(root, VERSIONS_FILE), wanted or {})
    entries = read_mapping(root, CATALOGUE_FILE)
    for name, entry in entries.items():
        check_entry(root, name, entry, set(entries), set(versions))
        if recorded:
            check_recorded(root, name, entry, wanted or {})

    parents = {name: tuple(entry.get("parents", [])) for name, entry in entries.items()}
    levels = levels_of(parents)
    prefix = f"{registry.rstrip('/')}/" if registry else ""
    # Tags come from references without registry: one recipe has one tag wherever it is kept.
    plain: dict[str, str] = {}
    full: dict[str, str] = {}
    images = []
    for name in sorted(entries, key=lambda name: (levels[name], name)):
        entry, sources = entries[name], tuple(entries[name].get("sources", []))
        version = str(versions[entry["version"]])
        folder = recipe(root, name, entry)
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
    """The image called ``name``; raises ImageError naming those there are."""
    for image in images:
        if image.name == name:
            return image
    known = ", ".join(sorted(image.name for image in images))
    raise ImageError(f"image {name} is not in {CATALOGUE_FILE}; known: {known}")
