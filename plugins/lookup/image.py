# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
name: image
author: The kafka-metal authors (!UNKNOWN)
short_description: Full name of one of the project's own images
description:
  - Gives the reference, with tag, of an image that is built from a recipe under C(images/).
  - The tag holds the upstream version and a hash of the recipe, so it changes exactly when the
    content of the image does.
options:
  _terms:
    description: Names of images, keys of C(images/images.yml).
    type: list
    elements: str
    required: true
  registry:
    description: Put before the name, where images are kept in a registry.
    type: str
    default: ''
    vars:
      - name: images_registry
  versions:
    description: >-
      Versions that a site wants instead of those in C(versions.yml), by the keys of that file. A
      site stays at a version, or goes back to one, by naming it here.
    type: dict
    default: {}
    vars:
      - name: image_versions
"""

EXAMPLES = r"""
- name: Name of the broker's image is shown
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
