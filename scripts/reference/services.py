"""Kinds of services with ports, accounts, certificates and users, from the catalogue.

The catalogue is roles/*/meta/services/KIND.yml; values of variables are the defaults of the role.
"""

from pathlib import Path
from typing import Any

import yaml

from .markdown import code, table

HEAD = """# Services

The catalogue of services: `roles/ROLE/meta/services/KIND.yml`. A field names a variable of the
inventory; its default value is in parentheses. Preflight, start order, certificates, accounts,
scrape jobs and the status screen are derived from it.
"""
OPERATOR = "who connects"


def _yaml(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8")) or {}


def _value(found: Any) -> str:
    """A default as text; one that is computed has no text."""
    if isinstance(found, dict):
        ports = [f"{name} {each['port']}" for name, each in found.items() if "port" in each]
        return ", ".join(ports)
    return "" if found is None or "{{" in str(found) else str(found)


def _variables(names: list[str], defaults: dict[str, Any]) -> str:
    shown = []
    for name in names:
        value = _value(defaults.get(name))
        shown.append(code(name) + (f" ({value})" if value else ""))
    return ", ".join(shown)


def _section(kind: dict[str, Any], role: str, defaults: dict[str, Any]) -> str:
    single = [kind[field] for field in ("agent",) if field in kind]
    rows = [
        ("role", f"[{role}](collection/{role}_role.rst)"),
        ("hosts", f"group {code(kind.get('group', kind['kind']))}"),
        ("name of an instance", code(kind.get("instance", ""))),
        ("starts after", ", ".join(map(code, kind.get("after") or ()))),
        ("ports", _variables(kind.get("ports") or [], defaults)),
        ("port for metrics", _variables(single, defaults)),
        ("directories", _variables(kind.get("directories") or [], defaults)),
        ("heap, memory limit", _variables(
            [kind[field] for field in ("heap", "memory") if field in kind], defaults)),
        ("runs as", ", ".join(
            f"{code(each['service'])} uid {each['uid']}" for each in kind.get("users") or ())),
        ("certificates", ", ".join(code(each["name"]) for each in kind.get("certificates") or ())),
        ("accounts in Kafka", ", ".join(map(code, kind.get("accounts") or ()))),
        (OPERATOR, "; ".join(
            f"group {code(each['group'])} to {code(each['port'])}: {each['purpose']}"
            for each in kind.get("callers") or ())),
    ]  # fmt: skip
    return f"\n## {kind['kind']}\n\n" + table(("", ""), [row for row in rows if row[1]])


def page(root: Path) -> str:
    """The page as Markdown."""
    parts = [HEAD]
    for path in sorted(root.glob("roles/*/meta/services/*.yml")):
        role = path.parts[-4]
        defaults = _yaml(root / f"roles/{role}/defaults/main.yml")
        parts.append(_section(_yaml(path), role, defaults))
    return "".join(parts)
