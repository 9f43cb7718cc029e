# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The package that draws the screens of verbs, from this collection's sources.

It is that of the clients; drawing needs none of their libraries.
"""

from __future__ import annotations

import sys
from pathlib import Path

# Last: an installed package of the same name, such as a contributor's, is these files too.
COLLECTION = Path(__file__).resolve().parents[3]
sys.path.append(str(COLLECTION / "client/src"))

from kafka_metal_client import groups, report, status  # noqa: E402
from kafka_metal_client.state import visible_texts  # noqa: E402
from kafka_metal_client.tables import Paint  # noqa: E402

__all__ = ["Paint", "groups", "report", "status", "visible_texts"]
