"""Kinds of services with ports, accounts, certificates and users, from the catalogue.

Values of variables are the defaults of the roles.
"""

from collections.abc import Iterable
from typing import Any

from ansible_collections.metal.kafka.plugins.plugin_utils._catalogue.kinds import Service, User
from ansible_collections.metal.kafka.plugins.plugin_utils._catalogue.reading import catalogue
from ansible_collections.metal.kafka.plugins.plugin_utils._site.variables import defaults

from .markdown import code, table

HEAD = """# Services

The catalogue of services: `roles/ROLE/meta/services/KIND.yml`, in start order. A field names a
variable of the inventory; its default value is in parentheses. Preflight, start order,
certificates, service accounts, scrape jobs and the status screen are derived from it.

A list for firewalls, with the connections of monitoring and of Spark's pages, is in
[Security](../operate/guides/security.md#ports).
"""


def _value(found: Any) -> str:
    """A default as text; one that is computed has no text."""
    if isinstance(found, dict):
        return ", ".join(f"{name} {each['port']}" for name, each in found.items() if "port" in each)
    return "" if found is None or "{{" in str(found) else str(found)


def _variables(names: Iterable[str | None]) -> str:
    """Variables with their defaults; a kind may lack one."""
    values = [(name, _value(defaults().get(name))) for name in names if name]
    return ", ".join(code(name) + (f" ({value})" if value else "") for name, value in values)


def _user(user: User) -> str:
    """User of a container, the group of its files, and whether it writes to shared directories."""
    shared = ", writes to shared directories" if user.shared_group else ""
    return f"{code(user.service)} user {user.uid}, group {user.gid or user.uid}{shared}"


def _section(kind: Service) -> str:
    clients = (
        f"group {code(each.group)} to {code(each.port)}: {each.purpose}" for each in kind.clients
    )
    rows = [
        ("role", f"[{kind.role}](collection/{kind.role}_role.rst)"),
        ("hosts", f"group {code(kind.group)}"),
        ("name of an instance", code(kind.instance)),
        ("starts after", ", ".join(map(code, kind.after))),
        ("ports", _variables(kind.ports)),
        ("port for metrics", _variables([kind.metrics_port])),
        ("directories", _variables(kind.directories)),
        ("heap, memory limit", _variables([kind.heap, kind.memory])),
        ("runs as", "; ".join(map(_user, kind.container_users))),
        ("certificates", ", ".join(code(each.name) for each in kind.certificates)),
        ("service accounts", ", ".join(map(code, kind.service_accounts))),
        ("clients", "; ".join(clients)),
    ]
    return f"\n## {kind.kind}\n\n" + table(("", ""), [row for row in rows if row[1]])


def page() -> str:
    """The page as Markdown."""
    return HEAD + "".join(map(_section, catalogue()))
