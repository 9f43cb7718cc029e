# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""From a declared pipeline to the document its driver reads."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleFilterError
from ansible_collections.metal.kafka.plugins.module_utils.service import plain
from kafka_metal_pipeline.declaration import DeclarationError, parse
from kafka_metal_pipeline.infer import SampleError, with_schema

RESOURCES = {"cores": 1, "executor_memory": "1g", "driver_memory": "1g"}


def pipeline_document(
    declared: Mapping[str, Any], name: str, site: Mapping[str, Any], folder: str
) -> dict[str, Any]:
    """The declaration with what the site adds, checked; a sample becomes the schema it implies.

    ``folder`` is where a relative path of a sample starts. Raises AnsibleFilterError with every
    mistake.
    """
    try:
        document: dict[str, Any] = {
            "name": name,
            **with_schema(plain(declared), Path(folder)),
            **plain(site),
        }
        document["resources"] = RESOURCES | document.get("resources", {})
        parse(name, document)
    except (DeclarationError, SampleError) as error:
        raise AnsibleFilterError(f"pipeline {name}: {error}") from error
    return document


class FilterModule:
    """Filters of the pipeline role."""

    def filters(self) -> dict[str, Any]:
        """Names as templates use them."""
        return {"pipeline_document": pipeline_document}
