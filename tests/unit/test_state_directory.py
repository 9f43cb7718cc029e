"""The state directory is next to the inventory; it is moved there without losing a key."""

import os
import subprocess
from pathlib import Path

import pytest
from ansible.errors import AnsibleError
from ansible_collections.metal.kafka.plugins.plugin_utils._site import (
    state_directory,
    state_migration,
)


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout of an earlier version that has state of cluster prod."""
    root = tmp_path / "checkout"
    monkeypatch.setattr(state_directory, "repository_root", lambda: root)
    secrets, cache = root / ".secrets/prod", root / ".cache/prod"
    (secrets / "operator").mkdir(parents=True, mode=0o700)
    (secrets / "users/shop").mkdir(parents=True)
    cache.mkdir(parents=True)
    for name, text in (("store.vault", "KEYS"), ("store.vault.previous", "OLD")):
        (secrets / name).write_text(text)
        (secrets / name).chmod(0o600)
    (secrets / ".store.vault.lock").touch()
    (secrets / "operator/client.conf").write_text(f"ssl.ca.location={secrets}/operator/ca.pem\n")
    (secrets / "users/shop/ca.pem").write_text("CA")
    (cache / "steps.json").write_text("{}")
    return root


@pytest.mark.parametrize(
    ("sources", "found"),
    [
        (["mine"], "mine"),
        (["mine/hosts.yml"], "mine"),
        (["mine/hosts.ini", "other"], "mine"),
        (["other/script.py", "mine"], "other"),
        (["a,b,"], "."),
        (["node1,"], "."),
        ([], "."),
        (["not/there.yml"], "not"),
    ],
)
def test_state_is_in_the_directory_of_the_first_source(tmp_path, sources, found):
    (tmp_path / "mine").mkdir()
    for name in ("mine/hosts.yml", "mine/hosts.ini"):
        (tmp_path / name).touch()
    expected = Path(os.path.abspath(tmp_path / found)) / ".kafka-metal/prod"

    assert state_directory.directory("prod", sources, here=tmp_path) == expected
    absolute = [str(tmp_path / each) if "," not in each else each for each in sources]
    assert state_directory.directory("prod", absolute, here=tmp_path) == expected


def test_state_directory_can_be_declared(tmp_path):
    (tmp_path / "mine").mkdir()

    assert state_directory.directory("prod", ["mine"], "/srv/x", tmp_path) == Path("/srv/x")
    assert state_directory.directory("prod", ["mine"], "../x", tmp_path) == tmp_path / "x"
    assert state_directory.directory("prod", ["mine"], "~/x", tmp_path) == Path.home() / "x"


@pytest.mark.parametrize(
    "name", ["", None, "..", ".", "a/b", "../a", "a b", "-a", "a\n", "{{ a }}", 1]
)
def test_invalid_cluster_name_is_refused(name):
    with pytest.raises(AnsibleError, match="cluster_name: found"):
        state_directory.directory(name, ["mine"])


def test_state_is_moved_once_without_loss(checkout, tmp_path):
    place = tmp_path / "inventory/.kafka-metal/prod"
    messages = state_migration.migrate_state(place, "prod")

    assert len(messages) == 2
    assert (place / "store.vault").read_text() == "KEYS"
    assert (place / "store.vault").stat().st_mode & 0o777 == 0o600
    assert (place / "store.vault.previous").read_text() == "OLD"
    assert (
        place / "operator/client.conf"
    ).read_text() == f"ssl.ca.location={place}/operator/ca.pem\n"
    assert (place / "operator").stat().st_mode & 0o777 == 0o700
    assert (place / "users/shop/ca.pem").read_text() == "CA"
    assert (place / "steps.json").exists()
    # The old directory is kept for a return to the earlier release.
    assert (checkout / ".secrets/prod.moved/store.vault").read_text() == "KEYS"
    assert not (checkout / ".secrets/prod").exists()
    assert state_migration.migrate_state(place, "prod") == []


def test_old_store_is_used_until_it_is_moved(checkout, tmp_path):
    place = tmp_path / "inventory/.kafka-metal/prod"
    before = state_directory.store(place, "prod")
    state_migration.migrate_state(place, "prod")

    assert before == checkout / ".secrets/prod/store.vault"
    assert state_directory.store(place, "prod") == place / "store.vault"


def test_two_different_stores_are_refused(checkout, tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    (place / "store.vault").write_text("OTHER KEYS")

    for dry in (True, False):
        with pytest.raises(AnsibleError, match="two different stores of keys"):
            state_migration.migrate_state(place, "prod", dry=dry)
    assert (place / "store.vault").read_text() == "OTHER KEYS"
    assert (checkout / ".secrets/prod/store.vault").read_text() == "KEYS"
    assert (checkout / ".cache/prod/steps.json").exists()


def test_interrupted_move_is_resumed(checkout, tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    (place / "store.vault").write_text("KEYS")
    state_migration.migrate_state(place, "prod")

    assert (place / "users/shop/ca.pem").read_text() == "CA"
    assert not (checkout / ".secrets/prod").exists()


def test_failed_copy_does_not_change_the_old_directory(checkout, tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "rename", _full)
    with pytest.raises(AnsibleError, match="the old directories are unchanged"):
        state_migration.migrate_state(tmp_path / "place", "prod")
    monkeypatch.undo()

    assert (checkout / ".secrets/prod/store.vault").read_text() == "KEYS"


def _full(self, target):
    raise OSError(28, "No space left on device", str(target))


def test_dry_run_reports_moves_and_changes_nothing(checkout, tmp_path):
    messages = state_migration.migrate_state(tmp_path / "place", "prod", dry=True)

    assert len(messages) == 2
    assert not (tmp_path / "place").exists()
    assert (checkout / ".secrets/prod/store.vault").exists()


def test_store_with_declared_path_is_not_moved(checkout, tmp_path):
    state_migration.migrate_state(tmp_path / "place", "prod", secrets=False)

    assert (checkout / ".secrets/prod/store.vault").exists()
    assert not (tmp_path / "place/store.vault").exists()
    assert (tmp_path / "place/steps.json").exists()


def test_only_the_store_may_be_committed(tmp_path, monkeypatch):
    monkeypatch.setattr(state_directory, "repository_root", lambda: tmp_path / "none")
    place = tmp_path / "inventory/.kafka-metal/prod"
    state_migration.migrate_state(place, "prod")
    (place / "store.vault").touch()
    (place / "state.json").touch()
    (place / "operator").mkdir()
    (place / "operator/client.conf").touch()
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    listed = subprocess.run(
        ["git", "-C", str(tmp_path), "status", "--porcelain", "-uall"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout

    assert place.stat().st_mode & 0o077 == 0
    assert sorted(line[3:] for line in listed.splitlines()) == [
        "inventory/.kafka-metal/prod/.gitignore",
        "inventory/.kafka-metal/prod/store.vault",
    ]


def test_directory_with_other_files_is_refused(checkout, tmp_path):
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    (home / "notes.txt").write_text("mine")

    for dry in (True, False):
        with pytest.raises(AnsibleError, match=r"with other files, such as notes.txt"):
            state_migration.migrate_state(home, "prod", dry=dry)

    assert [each.name for each in home.iterdir()] == ["notes.txt"]
    assert home.stat().st_mode & 0o777 == 0o755


def test_two_clusters_do_not_share_a_state(tmp_path, monkeypatch):
    monkeypatch.setattr(state_directory, "repository_root", lambda: tmp_path / "none")
    state_migration.migrate_state(tmp_path / "place", "prod")

    assert state_migration.migrate_state(tmp_path / "place", "prod") == []
    with pytest.raises(AnsibleError, match="found the state of cluster 'prod'"):
        state_migration.migrate_state(tmp_path / "place", "stage")
