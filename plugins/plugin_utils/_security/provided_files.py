# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Reader of the files that a site provides: its CA, further roots, ready-made certificates."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from ansible.errors import AnsibleError
from ansible.parsing.vault import VaultLib, is_encrypted
from cryptography import x509

from . import vault_password
from .credentials_model import CredentialsError, Spec
from .credentials_plan import ProvidedFiles
from .pki import authority, leaf, pem, provided
from .vault_store import Store

ROOTS = "ca.crt"

Parsed = TypeVar("Parsed")


def read_all(spec: Spec, store: Store, now: datetime, imported: bool) -> ProvidedFiles:
    """Read all files that the spec names; raises CredentialsError with all errors.

    ``imported``: the CA is already in the store, so its files may be absent.
    """
    problems: list[str] = []
    ca = spec.ca
    reader = _Reader(store, problems)
    provided_ca: authority.Authority | None = None
    roots: tuple[x509.Certificate, ...] = ()
    pairs: dict[str, leaf.Pair | None] = {}
    absent = imported and not os.path.exists(vault_password.expand_path(ca.certificate_file))
    if ca.certificate_file and not absent:
        provided_ca = reader.authority(ca.certificate_file, ca.key_file, now)
    if ca.directory:
        roots = reader.roots(os.path.join(ca.directory, ROOTS), now)
        pairs = {each.name: reader.pair(ca.directory, each.name) for each in spec.certificates}
    if ca.trusted_file:
        roots = (*roots, *reader.roots(ca.trusted_file, now))
    if problems:
        raise CredentialsError(*problems)
    # For typing only: each None has added a problem, which was raised.
    read = {name: pair for name, pair in pairs.items() if pair is not None}
    return ProvidedFiles(provided_ca, tuple(dict.fromkeys(roots)), read)


class _Reader:
    """Reads files, also encrypted ones, and collects their errors."""

    def __init__(self, store: Store, problems: list[str]) -> None:
        self._store = store
        self._problems = problems

    def _read(self, path: str, parse: Callable[[bytes], Parsed]) -> Parsed | None:
        """Return the parsed content of a file, or None after an error."""
        try:
            with open(vault_password.expand_path(path), "rb") as stream:
                data = stream.read()
            if is_encrypted(data):
                data = VaultLib(self._store.secrets() or []).decrypt(data)
            return parse(data)
        except OSError as error:
            self._problems.append(f"{path}: {error.strerror}; required: a readable file")
        except pem.PkiError as error:
            self._problems.append(f"{path}: {error}")
        except vault_password.StoreError:
            raise
        except AnsibleError:
            self._problems.append(
                f"{path}: found a file of Ansible Vault that the store's password does not decrypt;"
                " required: the store's password for this file, or a plain file"
            )
        return None

    def authority(
        self, certificate_file: str, key_file: str, now: datetime
    ) -> authority.Authority | None:
        key = self._read(key_file, pem.parse_key)
        certificates = self._read(certificate_file, pem.parse_certificates)
        if key is None or certificates is None:
            return None
        found = authority.Authority(certificates[0], key, certificates[1:])
        blockers = authority.blockers(found, now)
        self._problems += [f"{certificate_file}: {each}" for each in blockers]
        return found

    def roots(self, path: str, now: datetime) -> tuple[x509.Certificate, ...]:
        certificates = self._read(path, pem.parse_certificates) or ()
        self._problems += [f"{path}: {each}" for each in provided.root_blockers(certificates, now)]
        return certificates

    def pair(self, directory: str, name: str) -> leaf.Pair | None:
        key = self._read(os.path.join(directory, f"{name}.key"), pem.parse_key)
        certificates = self._read(os.path.join(directory, f"{name}.crt"), pem.parse_certificates)
        if key is None or certificates is None:
            return None
        # The file may include the root, which servers do not need to send.
        chain = tuple(each for each in certificates[1:] if not authority.is_self_signed(each))
        return leaf.Pair(certificates[0], key, chain)
