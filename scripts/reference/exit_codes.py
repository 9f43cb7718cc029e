"""Exit codes of the verbs, from scripts/verbs/codes.py."""

from verbs.codes import MEANING, Code

from .markdown import code, table

HEAD = """# Exit codes

`scripts/verb VERB` and `ansible-playbook metal.kafka.VERB` end with these codes. `make` itself ends
with 2 for every failure. The verbs that differ are in
[Verbs](../operate/verbs/index.md#exit-codes).

"""


def page() -> str:
    """The page as Markdown."""
    rows = [(code(int(each)), MEANING[each]) for each in Code]
    return HEAD + table(("code", "meaning"), rows)
