# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The password of the store: a generated file, or any vault password of Ansible."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from typing import Any

from ansible.errors import AnsibleError
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.vault import VaultSecretsContext, get_file_vault_secret

# Ansible's vault id of a password without a name.
IDENTITY = "default"
BYTES = 32

# Vault ids and secrets, as arguments of VaultLib.
Secrets = list[tuple[str, Any]]


class StoreError(AnsibleError):
    """The store or its password cannot be used; the message has the remedy."""


def expand_path(path: str) -> str:
    """Return the absolute path, with ``~`` and variables expanded."""
    return os.path.abspath(os.path.expanduser(os.path.expandvars(path)))


def load(path: str | None) -> Secrets | None:
    """Return the secrets for VaultLib; None if the file does not exist.

    Without a path these are the secrets of the Ansible run. Raises StoreError.
    """
    if not path:
        return _run_secrets()
    path = expand_path(path)
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(
            f"password_file {path}: {error.strerror}; required: a readable file"
        ) from (None)
    _check_mode(path, found)
    secret = get_file_vault_secret(filename=path, vault_id=IDENTITY, loader=DataLoader())
    try:
        secret.load()
    except AnsibleError as error:
        raise StoreError(
            f"password_file {path}: {str(error).splitlines()[0]}; required: a file with the "
            "password, or a script that prints it"
        ) from None
    return [(IDENTITY, secret)]


def _run_secrets() -> Secrets:
    context = VaultSecretsContext.current(optional=True)
    if context is None or not context.secrets:
        raise StoreError(
            "password_file: found none, and Ansible has no vault password; required: a path, "
            "or --vault-password-file"
        )
    return list(context.secrets)


def _check_mode(path: str, found: os.stat_result) -> None:
    """Raise StoreError for a file that other users can read, or a script that they can change."""
    if not stat.S_ISREG(found.st_mode):
        raise StoreError(f"password_file {path}: found no regular file; required: a regular file")
    script = found.st_mode & 0o111
    allowed, spec = (0o755, "go-w") if script else (0o600, "600")
    if found.st_mode & 0o777 & ~allowed:
        raise StoreError(
            f"password_file {path}: found mode {stat.S_IMODE(found.st_mode):04o}, accessible to "
            f"others; required: chmod {spec} {path}"
        )


def create(path: str) -> None:
    """Create a password file atomically, unless another run has just created it."""
    path = expand_path(path)
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        temporary = f"{path}.{os.getpid()}"
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with open(handle, "w", encoding="ascii") as stream:
                stream.write(secrets.token_urlsafe(BYTES) + "\n")
                stream.flush()
                os.fsync(stream.fileno())
            with contextlib.suppress(FileExistsError):
                os.link(temporary, path)
        finally:
            os.unlink(temporary)
    except OSError as error:
        raise StoreError(
            f"password_file {path}: cannot be created: {error.strerror}; required: a writable "
            "directory, or another path"
        ) from None
