"""Exit codes of the verbs, from scripts/verbs/codes.py."""

from verbs.codes import MEANING, Code

from .markdown import code, table

HEAD = """# Exit codes

`make VERB` and `ansible-playbook metal.kafka.VERB` end with the same exit code.

"""


def page() -> str:
    """The page as Markdown."""
    rows = [(code(int(each)), MEANING[each]) for each in Code]
    return HEAD + table(("code", "meaning"), rows)
