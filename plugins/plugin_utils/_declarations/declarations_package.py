# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The package by which drivers validate declarations of pipelines, from this collection's sources.

The image of drivers is built from the same files: both validate alike, and nobody installs it.
"""

from __future__ import annotations

import sys
from pathlib import Path

# Last: an installed package of the same name, such as a contributor's, is these files too.
COLLECTION = Path(__file__).resolve().parents[3]
sys.path.append(str(COLLECTION / "declarations/src"))

from kafka_metal_declarations.declaration import DeclarationError, parse, problems_of  # noqa: E402
from kafka_metal_declarations.declared_site import SITE_KEYS  # noqa: E402
from kafka_metal_declarations.needs import needs_of  # noqa: E402
from kafka_metal_declarations.placement import conflicts, misplaced, placed  # noqa: E402
from kafka_metal_declarations.sample import SampleError, schema_of, with_schema  # noqa: E402

__all__ = [
    "SITE_KEYS",
    "DeclarationError",
    "SampleError",
    "conflicts",
    "misplaced",
    "needs_of",
    "parse",
    "placed",
    "problems_of",
    "schema_of",
    "with_schema",
]
