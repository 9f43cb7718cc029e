"""An inventory is a folder of its own: an edit changes that one, a copy works anywhere."""

from collections.abc import Iterator
from typing import Any

from jinja2 import Template


def test_no_file_of_an_inventory_is_a_link(repository):
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


def test_the_compose_project_publishes_no_port_of_the_local_cluster(repository):
    """Both run on a developer's machine: the second one would be refused."""
    local = set()
    groups = repository.yaml("inventories/local/hosts.yml")["all"]["children"]
    for group, declared in groups.items():
        found = repository.yaml(f"inventories/local/group_vars/{group}.yml")
        for variables in declared["hosts"].values():
            given = {"port_offset": 0, **(variables or {})}
            local |= {int(Template(port).render(given)) for port in ports(found)}
    services = repository.yaml("compose/compose.yml")["services"].values()
    published = {int(p.split(":")[-2]) for service in services for p in service.get("ports", [])}

    assert {9092, 9192, 18080} <= local
    assert published
    assert not local & published
