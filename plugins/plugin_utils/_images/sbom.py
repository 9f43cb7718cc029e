# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Lists of components as CycloneDX 1.6, for vulnerability scanners."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component as Listed
from cyclonedx.model.component import ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.spdx import is_supported_id
from packageurl import PackageURL

from .components import Component

NAMESPACE = uuid.uuid5(uuid.NAMESPACE_OID, "kafka-metal")
PROPERTY = "kafka-metal:image-id"


def package_url(component: Component) -> PackageURL | None:
    """The component's package URL; None for a jar without a group."""
    name, version = component.name, component.version or None
    if component.kind == "deb":
        words = {"arch": component.architecture, "distro": component.distribution}
        return PackageURL("deb", "debian", name, version, words)
    if component.kind == "python":
        return PackageURL("pypi", None, name, version)
    if component.kind == "jar" and component.group:
        return PackageURL("maven", component.group, name, version)
    return PackageURL("generic", None, name, version) if component.kind == "java" else None


def cyclonedx_component(component: Component) -> Listed:
    """The component for CycloneDX; unknown licences are left out."""
    address = package_url(component)
    factory = LicenseFactory()
    names = component.licences
    # Several licences belong to parts of the component; an expression would combine them.
    licences = (
        [factory.make_from_string(names[0])]
        if len(names) == 1
        else [
            factory.make_with_id(n) if is_supported_id(n) else factory.make_with_name(n)
            for n in names
        ]
    )
    return Listed(
        name=component.name,
        group=component.group or None,
        version=component.version or None,
        type=ComponentType.PLATFORM if component.kind == "java" else ComponentType.LIBRARY,
        bom_ref=str(address) if address else f"{component.title}@{component.version}",
        purl=address,
        licenses=licences,
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=component.sha256)]
        if component.sha256
        else [],
    )


def cyclonedx_documents(
    lists: Mapping[str, Sequence[Component]],
    images: Mapping[str, Mapping[str, str]],
    version: str,
) -> dict[str, str]:
    """Text of each file by name: one for each list, and kafka-metal for all of them.

    ``lists``: components by image and of the control node. ``images``: reference and id, by name.
    """
    whole = Bom(serial_number=uuid.uuid5(NAMESPACE, version + repr(sorted(images.items()))))
    whole.metadata.component = Listed(
        name="kafka-metal",
        version=version,
        type=ComponentType.APPLICATION,
        bom_ref="kafka-metal",
        licenses=[LicenseFactory().make_with_id("Apache-2.0")],
    )
    # One object for each component, also if several images contain it.
    known: dict[str, Listed] = {}
    found = {}
    for name, components in lists.items():
        image = images.get(name, {})
        reference, number = image.get("reference", ""), image.get("id", "")
        owner = Listed(
            name=name,
            version=reference.rpartition(":")[2] or version,
            type=ComponentType.CONTAINER if image else ComponentType.APPLICATION,
            bom_ref=reference or f"kafka-metal {name}",
            properties=[Property(name=PROPERTY, value=number)] if number else [],
        )
        parts = {part.bom_ref.value or "": part for part in map(cyclonedx_component, components)}
        bom = Bom(serial_number=uuid.uuid5(NAMESPACE, f"{reference} {number} {version}"))
        bom.metadata.component = owner
        bom.metadata.timestamp = None  # type: ignore[assignment]
        bom.components.update(parts.values())
        bom.register_dependency(owner, parts.values())
        found[name.replace(" ", "-")] = JsonV1Dot6(bom).output_as_string(indent=2)
        shared = [known.setdefault(key, part) for key, part in parts.items()]
        whole.components.add(owner)
        whole.components.update(shared)
        whole.register_dependency(owner, shared)
    whole.register_dependency(whole.metadata.component, list(whole.components))
    whole.metadata.timestamp = None  # type: ignore[assignment]
    return {**found, "kafka-metal": JsonV1Dot6(whole).output_as_string(indent=2)}
