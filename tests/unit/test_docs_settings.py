"""The table of dynamic settings in the documentation matches the code."""

import re
from pathlib import Path

from ansible_collections.metal.kafka.plugins.module_utils._kafka.live_keys import LIVE_KEYS

PAGE = Path(__file__).resolve().parents[2] / "docs/reference/settings.md"


def test_page_lists_exactly_the_live_keys():
    rows = re.findall(r"^\| `([\w.]+)` \| (.+) \|$", PAGE.read_text(), re.MULTILINE)
    assert rows == list(LIVE_KEYS.items())
