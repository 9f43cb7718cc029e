# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
name: image_catalogue
author: The kafka-metal authors (!UNKNOWN)
short_description: All images of the project in build order
description:
  - Lists the images of C(images/images.yml) with the data for their build. An image comes after the
    images that it is built from.
options:
  _terms:
    description: >-
      Names of images; only these and their parent images are listed. Without names, all images.
    type: list
    elements: str
  registry:
    description: Prefix of the names, for images in a registry.
    type: str
    default: ''
    vars:
      - name: images_registry
  versions:
    description: >-
      Versions of a site that replace those in C(versions.yml), by the keys of that file. Use it to
      stay at a version, or to go back to one.
    type: dict
    default: {}
    vars:
      - name: image_versions
"""

EXAMPLES = r"""
- name: Print the build order
  ansible.builtin.debug:
    msg: "level {{ item.level }}: {{ item.image }}"
  loop: "{{ lookup('metal.kafka.image_catalogue', wantlist=true) }}"
"""

RETURN = r"""
_raw:
  description:
    - >-
      Images, each with C(name), C(image) (full reference), C(repository), C(tag), C(version)
      (upstream), C(level) (0 needs no other image), C(parents) (names), C(build_args) (dictionary
      of text), C(context) (absolute path of the recipe), C(sources) (paths relative to the root
      of the repository, staged next to the recipe), C(runtime) (whether containers use it; other
      images stay on the build host) and C(optional) (whether only hosts whose play requires it by
      name get it).
  type: list
  elements: dict
"""

from typing import Any

from ansible.errors import AnsibleError
from ansible.plugins.lookup import LookupBase

from ..plugin_utils._images.image_checks import ImageError
from ..plugin_utils._images.images import Image, catalogue, find


def with_parents(name: str, images: list[Image]) -> set[str]:
    """Names of image ``name`` and of all its parents."""
    image = find(name, images)
    return {name}.union(*(with_parents(parent, images) for parent in image.parents))


class LookupModule(LookupBase):
    def run(
        self, terms: list[Any], variables: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Any]:
        self.set_options(var_options=variables, direct=kwargs)
        try:
            images = catalogue(
                registry=self.get_option("registry") or "", wanted=self.get_option("versions")
            )
            wanted = set[str]().union(*(with_parents(term, images) for term in terms))
        except ImageError as error:
            raise AnsibleError(f"metal.kafka.image_catalogue: {error}") from error
        return [image.as_dict() for image in images if not wanted or image.name in wanted]
