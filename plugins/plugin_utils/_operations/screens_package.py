# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Import of the package that draws the verbs' screens, from this collection's sources.

It is the package of the clients; drawing does not need their libraries.
"""

from __future__ import annotations

import sys
from pathlib import Path

# Appended last: an installed package, as on a contributor's machine, has the same files.
COLLECTION = Path(__file__).resolve().parents[3]
sys.path.append(str(COLLECTION / "client/src"))

from kafka_metal_client import groups, report, status  # noqa: E402
from kafka_metal_client.state import visible_texts  # noqa: E402
from kafka_metal_client.tables import Paint  # noqa: E402

__all__ = ["Paint", "groups", "report", "status", "visible_texts"]
