"""Modules that a run has packed are used by the next one, until something changes."""

import json
import os
import resource
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from ansible.module_utils import basic
from ansible_collections.metal.kafka.plugins.plugin_utils._operations import packed_modules
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.packed_modules import (
    PackedModules,
    default_folder,
)
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
# A site's own function in ansible.module_utils.basic.
SITE = """
exit_json = AnsibleModule.exit_json
AnsibleModule.exit_json = lambda self, **result: exit_json(self, **result, site="of the site")
"""
PACKED = "Including module_utils file"


class Site:
    """A directory with a module of its own, whose runs keep their modules below it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.modules = with_modules(folder, {"groups": MODULE.format(number=1)})
        (folder / "plays.yml").write_text(json.dumps([PLAY]))

    def run(self, **environment: str) -> str:
        code, output = ansible_playbook(
            self.folder,
            {"kafka": {"k1": {}}},
            "plays.yml",
            "-vvvvv",
            ANSIBLE_CALLBACKS_ENABLED="metal.kafka.packed_modules",
            XDG_CACHE_HOME=str(self.folder / "cache"),
            **environment,
        )
        assert code == 0, output
        return output

    def kept(self) -> list[Path]:
        return sorted(self.folder.glob("cache/kafka-metal/modules/*/*"))


@pytest.fixture
def private_path() -> Iterator[Path]:
    """An empty directory that only root and this user can replace, whatever /tmp allows."""
    with tempfile.TemporaryDirectory(dir=Path.home()) as path:
        yield Path(path)


@pytest.fixture
def site(private_path: Path) -> Site:
    return Site(private_path)


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
    module = site.modules / "groups.py"
    times = module.stat().st_atime_ns, module.stat().st_mtime_ns
    # Of the same size and time, as copies of files may be.
    module.write_text(MODULE.format(number=2))
    os.utime(module, ns=times)
    assert "text 2" in site.run()


def test_modules_of_a_run_with_other_libraries_are_not_used(site: Site):
    libraries = site.folder / "libraries"
    libraries.mkdir()
    (libraries / "basic.py").write_text(Path(basic.__file__).read_text() + SITE)
    assert "of the site" in site.run(ANSIBLE_MODULE_UTILS=str(libraries))
    assert "of the site" not in site.run()


def test_a_damaged_file_is_packed_again(site: Site):
    site.run()
    for path in site.kept():
        path.write_bytes(path.read_bytes()[:-100])
    output = site.run()
    assert PACKED in output
    assert "text 1" in output


@pytest.mark.parametrize("folder", ["cache", "cache/kafka-metal", "cache/kafka-metal/modules/*"])
def test_files_that_others_may_write_are_not_used(site: Site, folder: str):
    site.run()
    for path in site.folder.glob(folder):
        path.chmod(0o777)
    assert PACKED in site.run()


def test_a_run_works_without_a_directory_for_them(site: Site):
    (site.folder / "cache").write_text("not a directory")
    assert "text 1" in site.run()


class Runs:
    """Runs that keep the files of their directory in one folder, without Ansible."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kept = folder / "cache/modules"
        self.names = [f"ansible.modules.{number}-ZIP_DEFLATED-none" for number in range(9)]

    def start(self, name: str) -> tuple[PackedModules, Path]:
        modules, temporary = PackedModules(self.kept), self.folder / name
        temporary.mkdir()
        modules.use(temporary)
        return modules, temporary

    def end(self, modules: PackedModules, temporary: Path) -> None:
        """Pack all modules, each with the name of the run, and keep them."""
        (temporary / "ansiballz_cache").mkdir(exist_ok=True)
        for name in self.names:
            (temporary / "ansiballz_cache" / name).write_text(f"{temporary.name} {name}")
        modules.keep(temporary)

    def used(self, name: str) -> dict[str, str]:
        """Return the files that a run gets, and the run that has packed each."""
        _, temporary = self.start(name)
        found = (temporary / "ansiballz_cache").glob("*")
        return {each.name: each.read_text().partition(" ")[0] for each in found}


@pytest.fixture
def runs(private_path: Path) -> Runs:
    return Runs(private_path)


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Replace the plugins of the collection by an empty directory of modules."""
    monkeypatch.setattr(packed_modules, "PLUGINS", tmp_path / "plugins")
    folder = tmp_path / "plugins/modules"
    folder.mkdir(parents=True)
    return folder


def test_modules_are_kept_if_new_files_are_for_a_group(runs: Runs):
    before = os.umask(0o002)
    try:
        runs.end(*runs.start("first"))
        assert runs.used("second") == dict.fromkeys(runs.names, "first")
    finally:
        os.umask(before)


def test_two_runs_at_once_keep_each_module_once(runs: Runs):
    both = [runs.start(name) for name in ("a", "b")]
    for each in both:
        runs.end(*each)
    assert sorted(runs.used("next")) == runs.names
    assert len(list(runs.kept.glob("*/*"))) == len(runs.names)


def test_a_full_disk_leaves_nothing_that_is_used_or_stays(runs: Runs):
    first = runs.start("first")
    with largest_file(70):
        runs.end(*first)
    assert runs.used("second") == {}
    runs.end(*runs.start("third"))
    assert runs.used("fourth") == dict.fromkeys(runs.names, "third")
    assert len(list(runs.kept.glob("*/*"))) == len(runs.names)


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Refuse to write more than ``size`` bytes to a file."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_modules_of_a_run_during_which_sources_changed_are_not_kept(runs: Runs, sources: Path):
    first = runs.start("first")
    (sources / "new.py").touch()
    runs.end(*first)
    (sources / "new.py").unlink()
    assert runs.used("second") == {}


def test_modules_of_a_run_during_which_sources_changed_and_changed_back_are_not_kept(
    runs: Runs, sources: Path
):
    (sources / "m.py").write_text("a")
    os.utime(sources / "m.py", (0, 0))
    first = runs.start("first")
    # The run packs modules of the other branch.
    (sources / "m.py").write_text("b")
    (sources / "m.py").write_text("a")
    runs.end(*first)
    assert runs.used("second") == {}


def test_a_source_that_is_linked_elsewhere_has_not_changed(runs: Runs, sources: Path):
    """As uv does with files of a package that is installed into another environment."""
    (sources / "m.py").touch()
    first = runs.start("first")
    (runs.folder / "linked.py").hardlink_to(sources / "m.py")
    runs.end(*first)
    assert runs.used("second") == dict.fromkeys(runs.names, "first")


def test_a_broken_link_between_the_sources_fails_no_run(runs: Runs, sources: Path):
    """Emacs creates one for each changed file."""
    (sources / ".#topics.py").symlink_to("user@host.1:2")
    runs.end(*runs.start("first"))
    assert runs.used("second") == {}


def test_modules_of_earlier_sources_are_deleted(runs: Runs, sources: Path):
    runs.kept.mkdir(parents=True, mode=0o700)
    (runs.kept / "README").touch()
    os.utime(runs.kept / "README", (0, 0))
    for number in range(packed_modules.STATES + 2):
        (sources / f"m{number}.py").touch()
        runs.end(*runs.start(str(number)))
    assert len(list(runs.kept.glob("*/"))) == packed_modules.STATES


def test_a_user_without_a_home_keeps_nothing(runs: Runs, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(runs.folder)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    # As for an unknown user without HOME.
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    runs.kept = default_folder()
    runs.end(*runs.start("first"))
    assert runs.used("second") == {}
    assert sorted(each.name for each in runs.folder.iterdir()) == ["first", "second"]


def test_a_relative_cache_directory_is_ignored(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    assert default_folder().is_absolute()
