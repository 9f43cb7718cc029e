"""Every private variable that roles and playbooks use is defined."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
USED = re.compile(r"(?<![\w.'\"])__[a-z]\w+")
DEFINED = re.compile(
    r"^[\s\-{]*(__[a-z]\w+):|[{,]\s*(__[a-z]\w+):|(?:register|loop_var|index_var): (__[a-z]\w+)"
    r"|set (__[a-z]\w+) =|for (__[a-z]\w+) in",
    re.MULTILINE,
)


def test_used_private_variables_are_defined():
    texts = [
        path.read_text(encoding="utf-8")
        for folder in ("roles", "playbooks")
        for kind in ("*.yml", "*.j2")
        for path in (ROOT / folder).rglob(kind)
    ]
    defined = {name for text in texts for found in DEFINED.findall(text) for name in found if name}
    used = {name for text in texts for name in USED.findall(text) if not name.endswith("__")}

    assert len(used) > 100
    assert sorted(used - defined) == []
