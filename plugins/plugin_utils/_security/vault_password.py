# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The password of the store: a file of our own, or whatever Ansible takes as a vault password."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from typing import Any

from ansible.errors import AnsibleError
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.vault import VaultSecretsContext, get_file_vault_secret

# Ansible's name for a password that has no name.
IDENTITY = "default"
BYTES = 32

# Names and secrets of passwords, as VaultLib takes them.
Secrets = list[tuple[str, Any]]


class StoreError(AnsibleError):
    """The store or its password cannot be used: what was found, what is wanted, and the way out."""


def expanded(path: str) -> str:
    """A path as the file system knows it."""
    return os.path.abspath(os.path.expanduser(os.path.expandvars(path)))


def load(path: str | None) -> Secrets | None:
    """The secrets for VaultLib; None when there is no file yet. No path means those of the run."""
    if not path:
        return _of_the_run()
    path = expanded(path)
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"password_file {path}: {error.strerror}; wanted: a readable file") from (
            None
        )
    _judge(path, found)
    secret = get_file_vault_secret(filename=path, vault_id=IDENTITY, loader=DataLoader())
    try:
        secret.load()
    except AnsibleError as error:
        raise StoreError(
            f"password_file {path}: {str(error).splitlines()[0]}; wanted: a file with the "
            "password, or a script that prints it"
        ) from None
    return [(IDENTITY, secret)]


def _of_the_run() -> Secrets:
    context = VaultSecretsContext.current(optional=True)
    if context is None or not context.secrets:
        raise StoreError(
            "password_file: found none, and Ansible was given no vault password; wanted: a path, "
            "or --vault-password-file"
        )
    return list(context.secrets)


def _judge(path: str, found: os.stat_result) -> None:
    """Refuse what others could read, or a script that others could change."""
    if not stat.S_ISREG(found.st_mode):
        raise StoreError(f"password_file {path}: found no regular file; wanted: one")
    script = found.st_mode & 0o111
    allowed, spec = (0o755, "go-w") if script else (0o600, "600")
    if found.st_mode & 0o777 & ~allowed:
        raise StoreError(
            f"password_file {path}: found mode {stat.S_IMODE(found.st_mode):04o}, open to others; "
            f"wanted: chmod {spec} {path}"
        )


def create(path: str) -> None:
    """A new password, unless another run has just made one; nobody ever reads half of it."""
    path = expanded(path)
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
            f"password_file {path}: cannot be made: {error.strerror}; wanted: a folder that "
            "can be written, or another path"
        ) from None
