"""An inventory is a folder of its own: an edit changes that one, a copy works anywhere."""


def test_no_file_of_an_inventory_is_a_link(repository):
    inventories = repository.root / "inventories"
    links = [path for path in inventories.rglob("*") if path.is_symlink()]

    assert any(inventories.iterdir())
    assert [path.relative_to(repository.root).as_posix() for path in links] == []
