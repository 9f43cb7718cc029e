"""The table that operators read is the one that the code goes by."""

import re
from pathlib import Path

from ansible_collections.metal.kafka.plugins.module_utils._kafka.live_keys import LIVE_KEYS

PAGE = Path(__file__).resolve().parents[2] / "docs/reference/settings.md"


def test_the_page_lists_every_key_that_needs_no_restart_and_no_other():
    rows = re.findall(r"^\| `([\w.]+)` \| (.+) \|$", PAGE.read_text(), re.MULTILINE)
    assert rows == list(LIVE_KEYS.items())
