# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Import of the package that validates declarations of pipelines, from this collection's sources.

The drivers' image is built from the same files, so both have the same rules, and the package need
not be installed.
"""

from __future__ import annotations

import sys
from pathlib import Path

# Appended last: an installed package, as on a contributor's machine, has the same files.
COLLECTION = Path(__file__).resolve().parents[3]
sys.path.append(str(COLLECTION / "declarations/src"))

from kafka_metal_declarations.declaration import (  # noqa: E402
    DeclarationError,
    find_problems,
    parse,
)
from kafka_metal_declarations.declared_site import SITE_KEYS, session_values  # noqa: E402
from kafka_metal_declarations.model import DEFAULT_MEMORY  # noqa: E402
from kafka_metal_declarations.needs import read_needs  # noqa: E402
from kafka_metal_declarations.option_names import (  # noqa: E402
    ALLOWED_SPELLING,
    repeated_options,
)
from kafka_metal_declarations.placement import (  # noqa: E402
    add_site_values,
    option_conflicts,
    site_only_keys,
)
from kafka_metal_declarations.printable_values import hide_passwords  # noqa: E402
from kafka_metal_declarations.sample import SampleError, infer_schema, with_schema  # noqa: E402

__all__ = [
    "ALLOWED_SPELLING",
    "DEFAULT_MEMORY",
    "SITE_KEYS",
    "DeclarationError",
    "SampleError",
    "add_site_values",
    "find_problems",
    "hide_passwords",
    "infer_schema",
    "option_conflicts",
    "parse",
    "read_needs",
    "repeated_options",
    "session_values",
    "site_only_keys",
    "with_schema",
]
