# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters for the components of the platform's images."""

from __future__ import annotations

from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._images import components
from ..plugin_utils._images.image_checks import read_mapping
from ..plugin_utils._images.images import repository_root


def lists(contents: Any, images: Any) -> dict[str, Any]:
    """Components of each inspected image, and of the control node."""
    root = repository_root()
    known = components.ComponentData(root, read_mapping(root, "galaxy.yml")["version"])
    found = {
        image["name"]: components.image_components(
            image["name"], contents[image["image"]]["components"], known
        )
        for image in images
        if image["image"] in contents
    }
    return found | {components.CONTROL_NODE: components.control_node_components()}


def components_table(contents: Any, images: Any) -> Any:
    """A line for each component; C(contents) is from C(image_contents)."""
    found = lists(contents, images)
    return components.table(components.merge(found.values()), len(found) - 1)


def cyclonedx(contents: Any, images: Any) -> Any:
    """Text of each CycloneDX file by name; C(kafka-metal) has all components."""
    try:
        from ..plugin_utils._images import sbom
    except ImportError as error:
        raise AnsibleFilterError(
            f"metal.kafka.cyclonedx: {error.name} is not installed; `make versions` installs it, "
            "as does scripts/bootstrap --no-dev --group sbom --inexact"
        ) from error
    known = {
        image["name"]: {"reference": image["image"], "id": contents[image["image"]]["id"]}
        for image in images
        if image["image"] in contents
    }
    version = read_mapping(repository_root(), "galaxy.yml")["version"]
    return sbom.cyclonedx_documents(lists(contents, images), known, version)


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {"components_table": components_table, "cyclonedx": cyclonedx}
