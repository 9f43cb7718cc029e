"""Modules that a run has packed are used by the next one, until something changes."""

import json
from pathlib import Path

import pytest
from plays import ansible_playbook, with_modules

# Each run uses a module of the collection and one of Ansible.
PLAY = {
    "hosts": "all",
    "gather_facts": False,
    "tasks": [{"metal.kafka.groups": {}}, {"ansible.builtin.command": {"cmd": "true"}}],
}
MODULE = """
from ansible.module_utils.basic import AnsibleModule
from ..module_utils._host import procfs
AnsibleModule(argument_spec={{}}).exit_json(msg="text {number}", size=procfs.__name__)
"""
PACKED = "Including module_utils file"


class Site:
    """A directory with a module of its own, whose runs keep their modules below it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.modules = with_modules(folder, {"groups": MODULE.format(number=1)})
        (folder / "plays.yml").write_text(json.dumps([PLAY]))

    def run(self) -> str:
        code, output = ansible_playbook(
            self.folder,
            {"kafka": {"k1": {}}},
            "plays.yml",
            "-vvvvv",
            ANSIBLE_CALLBACKS_ENABLED="metal.kafka.packed_modules",
            XDG_CACHE_HOME=str(self.folder / "cache"),
        )
        assert code == 0, output
        return output

    def kept(self) -> list[Path]:
        return sorted(self.folder.glob("cache/kafka-metal/modules/*/*@*"))


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_the_next_run_packs_nothing(site: Site):
    assert PACKED in site.run()
    second = site.run()
    assert PACKED not in second
    assert "text 1" in second
    assert [path.name.partition("-")[0].rpartition(".")[2] for path in site.kept()] == [
        "command",
        "groups",
    ]


def test_a_changed_module_is_packed_again(site: Site):
    site.run()
    (site.modules / "groups.py").write_text(MODULE.format(number=22))
    assert "text 22" in site.run()


def test_a_damaged_file_is_packed_again(site: Site):
    site.run()
    for path in site.kept():
        path.write_bytes(path.read_bytes()[:-100])
    output = site.run()
    assert PACKED in output
    assert "text 1" in output


@pytest.mark.parametrize("folder", ["kafka-metal/modules", "kafka-metal/modules/*"])
def test_files_that_others_may_write_are_not_used(site: Site, folder: str):
    site.run()
    for path in (site.folder / "cache").glob(folder):
        path.chmod(0o777)
    assert PACKED in site.run()


def test_a_run_works_without_a_directory_for_them(site: Site):
    (site.folder / "cache").write_text("not a directory")
    assert "text 1" in site.run()
