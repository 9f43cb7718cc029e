# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Versions of images that a site chooses."""

from __future__ import annotations

from collections.abc import Iterator

from .._declarations.problem import Problem, problem_from_message
from .._images.image_checks import ImageError
from .._images.images import catalogue
from .._site.site_model import Site

VERSIONS = "image_versions"


def image_versions(site: Site) -> Iterator[Problem]:
    """Versions of images have keys of versions.yml and recorded checksums."""
    seen = set()
    for host, versions in site.values(site.members("metal"), VERSIONS):
        try:
            catalogue(wanted=versions)
        except ImageError as error:
            if str(error) not in seen:
                seen.add(str(error))
                yield problem_from_message(host, str(error), VERSIONS)
