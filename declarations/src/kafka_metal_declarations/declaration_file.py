"""Files with pipeline declarations."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from kafka_metal_declarations import documents
from kafka_metal_declarations.declaration import parse_all
from kafka_metal_declarations.keys import DeclarationError, Problem
from kafka_metal_declarations.model import Declaration
from kafka_metal_declarations.sample import with_schemas


def load(file: Path, text: bytes | None = None) -> dict[str, Declaration]:
    """Return the pipelines of a YAML file: one with its ``name``, or several by name.

    ``text``: what the file contains, if it has been read already.
    """
    try:
        found = file.read_bytes() if text is None else text
        content: Any = documents.read(found.decode("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise DeclarationError([Problem("", str(file), str(error), "a YAML file")]) from error
    if isinstance(content, Mapping) and _is_one(content):
        name = str(content.get("name") or file.stem)
        content = {name: content}
    return parse_all(with_schemas(content, file.parent))


def _is_one(content: Mapping[Any, Any]) -> bool:
    """Whether a document is a single pipeline: a ``use`` that is a mapping would be a pipeline."""
    return "source" in content or not isinstance(content.get("use", {}), Mapping)
