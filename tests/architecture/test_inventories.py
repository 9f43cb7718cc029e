"""Each inventory is complete: an edit changes only one, and a copy works anywhere."""

from collections.abc import Iterator
from typing import Any

from jinja2 import Template


def test_inventories_have_no_symbolic_links(repository):
    inventories = repository.root / "inventories"
    links = [path for path in inventories.rglob("*") if path.is_symlink()]

    assert any(inventories.iterdir())
    assert [path.relative_to(repository.root).as_posix() for path in links] == []


def ports(value: Any) -> Iterator[str]:
    """Templates of the ports in variables of a group."""
    if isinstance(value, dict):
        for key, found in value.items():
            if str(key).endswith("port"):
                yield str(found)
            else:
                yield from ports(found)


def test_compose_and_local_inventory_share_no_port(repository):
    """Both run on a development machine, where the second one could not bind the port."""
    local = set()
    groups = repository.yaml("inventories/local/hosts.yml")["all"]["children"]
    for group, declared in groups.items():
        found = repository.yaml(f"inventories/local/group_vars/{group}.yml")
        for variables in (declared["hosts"] or {}).values():
            values = {"port_offset": 0, **(variables or {})}
            local |= {int(Template(port).render(values)) for port in ports(found)}
    services = repository.yaml("compose/compose.yml")["services"].values()
    published = {int(p.split(":")[-2]) for service in services for p in service.get("ports", [])}

    assert {9092, 9192, 18080} <= local
    assert published
    assert not local & published
