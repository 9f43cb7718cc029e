"""The store's file and its password: writing, refused files, and concurrent runs."""

import contextlib
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.vault import VaultLib, VaultSecretsContext, get_file_vault_secret
from ansible_collections.metal.kafka.plugins.plugin_utils._security import (
    store_document,
    vault_password,
    vault_store,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._security.vault_store import (
    Store,
    StoreError,
)

TEXT = store_document.write(
    store_document.Content("test", passwords={"a": store_document.Password("geheim", "now")})
)


@pytest.fixture
def store(tmp_path):
    """A store of a first run."""
    made = Store(str(tmp_path / "secrets/test/store.vault"), str(tmp_path / "conf/password"))
    with made.locked():
        made.make_password()
        made.write(TEXT)
    return made


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def unexpected_files(store):
    """Return unexpected files in the store's directory."""
    folder = Path(store.path).parent
    known = {"store.vault", "store.vault.previous", ".store.vault.lock"}
    return {path.name for path in folder.iterdir()} - known


def test_store_is_private_and_encrypted_by_ansible_vault(store, tmp_path):
    assert store.read() == TEXT
    assert mode(store.path) == 0o600
    assert mode(tmp_path / "secrets/test") == 0o700
    data = Path(store.path).read_bytes()
    assert data.startswith(b"$ANSIBLE_VAULT;1.1;AES256\n")
    assert b"geheim" not in data
    secret = get_file_vault_secret(store.password_file, loader=DataLoader())
    secret.load()
    assert VaultLib([("default", secret)]).decrypt(data).decode() == TEXT


def test_generated_password_is_random_and_private(store, tmp_path):
    assert mode(store.password_file) == 0o600
    assert mode(tmp_path / "conf") == 0o700
    password = Path(store.password_file).read_text().strip()
    assert len(password) == 43
    vault_password.create(str(tmp_path / "conf/other"))
    assert (tmp_path / "conf/other").read_text().strip() != password


def test_existing_password_is_unchanged(store):
    before = Path(store.password_file).read_bytes()
    store.make_password()
    vault_password.create(store.password_file)
    assert Path(store.password_file).read_bytes() == before
    assert len(list(Path(store.password_file).parent.iterdir())) == 1


def test_new_generation_keeps_the_previous_one(store):
    first = Path(store.path).read_bytes()
    store.write(TEXT.replace("geheim", "geheimer"))
    assert Path(store.previous).read_bytes() == first
    assert "geheimer" in store.read()
    assert mode(store.previous) == 0o600
    assert unexpected_files(store) == set()


def test_symbolic_link_to_a_store_is_kept(store, tmp_path):
    link = tmp_path / "link.vault"
    link.symlink_to(store.path)
    Store(str(link), store.password_file).write(TEXT.replace("geheim", "anders"))
    assert link.is_symlink()
    assert "anders" in store.read()


# -- refused files, and the remedy --------------------------------------------------------------


def no_password(store):
    os.unlink(store.password_file)


def another_password(store):
    Path(store.password_file).write_text("another")


def empty_password(store):
    Path(store.password_file).write_text("\n")


def open_password(store):
    os.chmod(store.password_file, 0o640)


def password_is_a_directory(store):
    os.unlink(store.password_file)
    os.mkdir(store.password_file)


def script(store, text, bits=0o700):
    Path(store.password_file).write_text(f"#!/bin/sh\n{text}\n")
    os.chmod(store.password_file, bits)


def failing_script(store):
    script(store, "exit 3")


def script_writable_by_others(store):
    script(store, "echo a", 0o722)


def plain(store):
    Path(store.path).write_text(TEXT)


def damaged(store):
    data = Path(store.path).read_bytes()
    Path(store.path).write_bytes(data[:-100] + b"00" * 30 + data[-40:])


def cut(store):
    data = Path(store.path).read_bytes()
    Path(store.path).write_bytes(data[: len(data) // 2])


def header_alone(store):
    Path(store.path).write_text("$ANSIBLE_VAULT;1.1;AES256\n")


def store_is_a_directory(store):
    os.unlink(store.path)
    os.mkdir(store.path)


def only_previous_generation(store):
    store.write(TEXT.replace("geheim", "anders"))
    os.unlink(store.path)


FAULTS = [
    (
        no_password,
        r"found the store, but no password at .*/conf/password; required: this file from",
    ),
    (
        another_password,
        r"found a password in .* that does not decrypt it, or a damaged file; required",
    ),
    (empty_password, r"password_file .*: Invalid vault password was provided .*; required: a file"),
    (open_password, r"found mode 0640, accessible to others; required: chmod 600 .*/conf/password"),
    (password_is_a_directory, r"password_file .*: found no regular file; required: a regular file"),
    (failing_script, r"returned non-zero \(3\).*; required: a file with the password, or a script"),
    (script_writable_by_others, r"found mode 0722, accessible to others; required: chmod go-w"),
    (plain, r"found a file that is not encrypted; required: ansible-vault encrypt"),
    (damaged, r"or a damaged file; required: .*; the previous generation is .*\.previous"),
    (cut, r"or a damaged file"),
    (header_alone, r"or a damaged file"),
    (store_is_a_directory, r"store .*: Is a directory; required: a readable file"),
    (only_previous_generation, r"found only the previous generation, .*\.previous; required"),
]


def everything(folder):
    """Content of every file, by path."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("fault", "message"), FAULTS, ids=lambda value: getattr(value, "__name__", "")
)
def test_unreadable_store_is_an_error_and_unchanged(store, fault, message, tmp_path):
    fault(store)
    before = everything(tmp_path)
    with pytest.raises(StoreError, match=message) as error:
        Store(store.path, store.password_file).read()
    assert everything(tmp_path) == before
    assert "geheim" not in str(error.value)


def test_without_a_store_there_is_nothing_to_read(tmp_path):
    assert Store(str(tmp_path / "a/b"), str(tmp_path / "p")).read() is None
    assert list(tmp_path.iterdir()) == []


def test_password_can_come_from_a_script(store, tmp_path):
    password = Path(store.password_file).read_text().strip()
    text = f"#!/bin/sh\necho 1 >> {tmp_path}/calls\necho '{password}'\n"
    (tmp_path / "keyring").write_text(text)
    os.chmod(tmp_path / "keyring", 0o755)
    scripted = Store(store.path, str(tmp_path / "keyring"))
    assert scripted.read() == TEXT
    scripted.write(TEXT.replace("geheim", "anders"))
    assert "anders" in store.read()
    # The script may prompt a person: it runs only once.
    assert (tmp_path / "calls").read_text() == "1\n"


def test_passwords_of_the_run_are_used_without_a_path(store, monkeypatch):
    with pytest.raises(StoreError, match="found none, and Ansible has no vault password"):
        Store(store.path, "").read()
    context = VaultSecretsContext(vault_password.load(store.password_file))
    monkeypatch.setattr(VaultSecretsContext, "_current", context)
    own = Store(store.path, "")
    own.write(TEXT.replace("geheim", "anders"))
    assert "anders" in store.read()
    own.make_password()


# -- writing ------------------------------------------------------------------------------------


def test_full_disk_does_not_change_the_store(store, monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    before = Path(store.path).read_bytes()
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match="cannot be written: No space left on device; required"):
        store.write(TEXT.replace("geheim", "anders"))
    assert Path(store.path).read_bytes() == before
    assert unexpected_files(store) == set()


def test_directory_that_cannot_be_created_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(StoreError, match="its lock file cannot be created: File exists; required"),
        Store(str(tmp_path / "file/store"), "").locked(),
    ):
        pass
    with pytest.raises(StoreError, match="cannot be created: File exists; required: a writable"):
        vault_password.create(str(tmp_path / "file/password"))


def test_concurrent_runs_are_locked_out(store, monkeypatch):
    monkeypatch.setattr(vault_store, "LOCK_TIMEOUT", 0.2)
    code = (
        "import fcntl, sys; f = open(sys.argv[1]); fcntl.flock(f, fcntl.LOCK_EX);"
        "print('held', flush=True); sys.stdin.read()"
    )
    lock = str(Path(store.path).parent / ".store.vault.lock")
    other = subprocess.Popen(
        [sys.executable, "-c", code, lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with contextlib.closing(other.stdin), other.stdout:
        assert other.stdout.readline() == "held\n"
        with pytest.raises(StoreError, match="found it locked by another run for"):
            store.locked().__enter__()
    other.wait()
    with store.locked():
        pass


def test_a_run_waits_for_the_other_one(store):
    order = []

    def other():
        with store.locked():
            order.append("second")

    with store.locked():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join(0.3)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


# -- reading often ------------------------------------------------------------------------------


def test_a_store_is_decrypted_once_per_generation(store, monkeypatch):
    opened = []
    read = Store.read
    monkeypatch.setattr(Store, "read", lambda self: opened.append(1) or read(self))
    for _ in range(3):
        held = vault_store.read_document(Store(store.path, store.password_file))
        assert held["passwords"]["a"]["value"] == "geheim"
    assert len(opened) == 1
    store.write(TEXT.replace("geheim", "anders"))
    held = vault_store.read_document(Store(store.path, store.password_file))
    assert held["passwords"]["a"]["value"] == "anders"
    assert len(opened) == 2


def test_store_created_later_is_found(tmp_path):
    later = Store(str(tmp_path / "store"), str(tmp_path / "password"))
    assert vault_store.read_document(later) is None
    later.make_password()
    later.write(TEXT)
    assert vault_store.read_document(later)["cluster"] == "test"
