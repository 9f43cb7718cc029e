"""Variables of an inventory: options of all roles, and variables of the whole site."""

from pathlib import Path

import yaml
from ansible_collections.metal.kafka.plugins.plugin_utils._site.site_variables import SITE_VARIABLES

from .markdown import code, table

ROOT = Path(__file__).resolve().parents[2]

HEAD = """# Variables

Set these variables in `group_vars` or `host_vars` of your inventory. `make preflight` refuses a
variable with the prefix of a role that the role does not have. Types, defaults and allowed values
are on the page of the role.
"""


def options() -> dict[str, tuple[str, str]]:
    """Role and description by option."""
    found = {}
    for path in sorted(ROOT.glob("roles/*/meta/argument_specs.yml")):
        role = path.parts[-3]
        for entry in yaml.safe_load(path.read_text(encoding="utf-8"))["argument_specs"].values():
            for name, option in (entry.get("options") or {}).items():
                found[name] = role, option["description"]
    return found


def page() -> str:
    """The page as Markdown."""
    site = [(code(name), meaning) for name, meaning in sorted(SITE_VARIABLES.items())]
    parts = [HEAD, "\n## The whole site\n\n", table(("variable", "meaning"), site)]
    known = options()
    for role in sorted({role for role, _ in known.values()}):
        rows = [(code(name), text) for name, (owner, text) in known.items() if owner == role]
        title = f"\n## Role [{role}](collection/{role}_role.rst)\n\n"
        parts.append(title + table(("variable", "meaning"), rows))
    return "".join(parts)
