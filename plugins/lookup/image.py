# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
name: image
author: The kafka-metal authors (!UNKNOWN)
short_description: Reference of an image of the project
description:
  - Returns the reference, with tag, of an image that is built from a recipe under C(images/).
  - The tag has the upstream version and a hash of the recipe, so it changes exactly with the
    content of the image.
options:
  _terms:
    description: Names of images, keys of C(images/images.yml).
    type: list
    elements: str
    required: true
  registry:
    description: Prefix of the name, for images in a registry.
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
- name: Print the name of the broker's image
  ansible.builtin.debug:
    msg: "{{ lookup('metal.kafka.image', 'kafka') }}"   # kafka-metal/kafka:3.9.2-0123456789ab
"""

RETURN = r"""
_raw:
  description: One reference for each name.
  type: list
  elements: str
"""

from typing import Any

from ansible.errors import AnsibleError
from ansible.plugins.lookup import LookupBase

from ..plugin_utils._images.image_checks import ImageError
from ..plugin_utils._images.images import catalogue, find


class LookupModule(LookupBase):
    def run(
        self, terms: list[Any], variables: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Any]:
        self.set_options(var_options=variables, direct=kwargs)
        try:
            images = catalogue(
                registry=self.get_option("registry") or "", wanted=self.get_option("versions")
            )
            return [find(term, images).reference for term in terms]
        except ImageError as error:
            raise AnsibleError(f"metal.kafka.image: {error}") from error
