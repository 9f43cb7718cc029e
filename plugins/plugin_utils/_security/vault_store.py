# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The store: one file of Ansible Vault per cluster, on the control node alone."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from typing import Any

from ansible.errors import AnsibleError
from ansible.parsing.vault import VaultLib, is_encrypted, match_encrypt_secret

from . import store_document, vault_password
from .vault_password import Secrets, StoreError

# A run holds the lock for less than a second.
LOCK_TIMEOUT = 30
HELP = "docs/operate/guides/secret-store.md"


class Store:
    """The file and its password. Reading needs no lock: a new generation comes in one step."""

    def __init__(self, path: str, password_file: str | None) -> None:
        """Name both; nothing is touched yet."""
        # A link keeps leading to the store when a new generation takes its place.
        self.path = os.path.realpath(vault_password.expanded(path))
        self.password_file = password_file
        self._secrets: Secrets | None = None
        self.previous = f"{self.path}.previous"

    def secrets(self) -> Secrets | None:
        """The password as VaultLib takes it, None when there is none; a script is asked once."""
        if self._secrets is None:
            self._secrets = vault_password.load(self.password_file)
        return self._secrets

    def read(self) -> str | None:
        """The text of the store, None when there is none yet."""
        return self._decrypted(self._bytes())

    def read_previous(self) -> str | None:
        """The text of the generation before, None when there is none."""
        with contextlib.suppress(FileNotFoundError), open(self.previous, "rb") as stream:
            return self._decrypted(stream.read())
        return None

    def _decrypted(self, data: bytes | None) -> str | None:
        if data is None:
            return None
        if not is_encrypted(data):
            raise StoreError(
                f"store {self.path}: found a file that is not encrypted; wanted: "
                "ansible-vault encrypt with the password of the store, or another path"
            )
        secrets = self.secrets()
        if secrets is None:
            path = vault_password.expanded(self.password_file or "")
            raise StoreError(
                f"store {self.path}: found the store, and no password at {path}; wanted: this "
                f"file from your backup or from the other control node; see {HELP}"
            )
        try:
            return str(VaultLib(secrets).decrypt(data).decode())
        except (AnsibleError, ValueError):
            told = self.password_file or "this run of Ansible"
            raise StoreError(
                f"store {self.path}: found a password in {told} that does not open it, or a "
                f"damaged file; wanted: the password it was written with; the generation before "
                f"is {self.previous}; see {HELP}"
            ) from None

    def _bytes(self) -> bytes | None:
        try:
            with open(self.path, "rb") as stream:
                return stream.read()
        except FileNotFoundError:
            if os.path.exists(self.previous):
                raise StoreError(
                    f"store {self.path}: found only the generation before, {self.previous}; "
                    "wanted: the store from your backup, or this one under its name; remove it to "
                    "begin with a new CA"
                ) from None
            return None
        except OSError as error:
            raise StoreError(
                f"store {self.path}: {error.strerror}; wanted: a file that can be read"
            ) from None

    def make_password(self) -> None:
        """Make the password of a first run; one that is there stays."""
        if self.secrets() is None:
            vault_password.create(self.password_file or "")

    def write(self, text: str) -> None:
        """Put a new generation in place, and keep the one before it."""
        secrets = self.secrets()
        _, secret = match_encrypt_secret(secrets)
        data = VaultLib(secrets).encrypt(text, secret=secret)
        before = self._bytes()
        try:
            if before is not None:
                _put(self.previous, before)
            _put(self.path, data)
        except OSError as error:
            raise StoreError(
                f"store {self.path}: cannot be written: {error.strerror}; wanted: space and the "
                "right to write there; the store is as it was"
            ) from None

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold off other runs on this control node."""
        folder, name = os.path.split(self.path)
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            handle = os.open(f"{folder}/.{name}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StoreError(
                f"store {self.path}: no lock can be made beside it: {error.strerror}; wanted: the "
                "right to write there"
            ) from None
        try:
            _wait_for(handle, self.path)
            yield
        finally:
            os.close(handle)


def _wait_for(handle: int, path: str) -> None:
    deadline = time.monotonic() + LOCK_TIMEOUT
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise StoreError(
                    f"store {path}: found another run that holds it for {LOCK_TIMEOUT} s; wanted: "
                    "that run to end"
                ) from None
        time.sleep(0.1)


def _put(path: str, data: bytes) -> None:
    """A file for its owner alone, in one step, on the disk when it is there."""
    temporary = f"{path}.{os.getpid()}"
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.rename(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


_documents: dict[tuple[Any, ...], dict[str, Any]] = {}


def document(store: Store) -> dict[str, Any] | None:
    """The store in plain types, decrypted once per process and generation; None without a store."""
    try:
        found = os.stat(store.path)
    except OSError:
        key = None
    else:
        key = (store.path, store.password_file, found.st_ino, found.st_mtime_ns, found.st_size)
    if key is None or key not in _documents:
        text = store.read()
        if text is None:
            return None
        parsed = store_document.document(text)
        if key is None:
            return parsed
        # One generation at a time: an old one is nobody's business any more.
        _documents.clear()
        _documents[key] = parsed
    return _documents[key]
