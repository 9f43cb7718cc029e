# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The store: one file of Ansible Vault per cluster, only on the control node."""

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

# Seconds. A run holds the lock for less than a second.
LOCK_TIMEOUT = 30
HELP = "docs/operate/guides/secret-store.md"


class Store:
    """The file and its password. Reading needs no lock, since the file is replaced atomically."""

    def __init__(self, path: str, password_file: str | None) -> None:
        """Store both paths, without access to the files."""
        # Resolved, so that a symbolic link to the store stays when the file is replaced.
        self.path = os.path.realpath(vault_password.expand_path(path))
        self.password_file = password_file
        self._secrets: Secrets | None = None
        self.previous = f"{self.path}.previous"

    def secrets(self) -> Secrets | None:
        """Return the secrets for VaultLib, None if there are none; a script runs only once."""
        if self._secrets is None:
            self._secrets = vault_password.load(self.password_file)
        return self._secrets

    def read(self) -> str | None:
        """Return the text of the store; None if it does not exist."""
        return self._decrypted(self._bytes())

    def read_previous(self) -> str | None:
        """Return the text of the previous generation; None if it does not exist."""
        with contextlib.suppress(FileNotFoundError), open(self.previous, "rb") as stream:
            return self._decrypted(stream.read())
        return None

    def _decrypted(self, data: bytes | None) -> str | None:
        if data is None:
            return None
        if not is_encrypted(data):
            raise StoreError(
                f"store {self.path}: found a file that is not encrypted; required: "
                "ansible-vault encrypt with the password of the store, or another path"
            )
        secrets = self.secrets()
        if secrets is None:
            path = vault_password.expand_path(self.password_file or "")
            raise StoreError(
                f"store {self.path}: found the store, but no password at {path}; required: this "
                f"file from your backup or from the other control node; see {HELP}"
            )
        try:
            return str(VaultLib(secrets).decrypt(data).decode())
        except (AnsibleError, ValueError):
            source = self.password_file or "this run of Ansible"
            raise StoreError(
                f"store {self.path}: found a password in {source} that does not decrypt it, or a "
                f"damaged file; required: the password it was encrypted with; the previous "
                f"generation is {self.previous}; see {HELP}"
            ) from None

    def _bytes(self) -> bytes | None:
        try:
            with open(self.path, "rb") as stream:
                return stream.read()
        except FileNotFoundError:
            if os.path.exists(self.previous):
                raise StoreError(
                    f"store {self.path}: found only the previous generation, {self.previous}; "
                    "required: the store from your backup, or the previous one renamed; remove it "
                    "to start with a new CA"
                ) from None
            return None
        except OSError as error:
            raise StoreError(
                f"store {self.path}: {error.strerror}; required: a readable file"
            ) from None

    def make_password(self) -> None:
        """Create the password file if it does not exist."""
        if self.secrets() is None:
            vault_password.create(self.password_file or "")

    def write(self, text: str) -> None:
        """Replace the store, and keep the previous generation."""
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
                f"store {self.path}: cannot be written: {error.strerror}; required: space and "
                "write permission; the store is unchanged"
            ) from None

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the store against other runs on this control node."""
        folder, name = os.path.split(self.path)
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            handle = os.open(f"{folder}/.{name}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StoreError(
                f"store {self.path}: its lock file cannot be created: {error.strerror}; required: "
                "write permission in its directory"
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
                    f"store {path}: found it locked by another run for {LOCK_TIMEOUT} s; required: "
                    "the end of that run"
                ) from None
        time.sleep(0.1)


def _put(path: str, data: bytes) -> None:
    """Write a file atomically with mode 600, and sync it to disk."""
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


def read_document(store: Store) -> dict[str, Any] | None:
    """Return the store in plain types, decrypted once per process and generation; None without."""
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
        parsed = store_document.parse_document(text)
        if key is None:
            return parsed
        # Keep only the current generation in memory.
        _documents.clear()
        _documents[key] = parsed
    return _documents[key]
