# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters that read and write declarations of what is in a cluster."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import yaml
from ansible.errors import AnsibleFilterError

from ..module_utils._common.messages import visible
from ..module_utils._content import applied_record
from ..module_utils._kafka import scram
from ..plugin_utils._declarations import content_export, declared_content, service_data
from ..plugin_utils._declarations.declaration_reader import DeclarationError

# What begins a template of Ansible.
TEMPLATES = ("{{", "{%", "{#")


def reading(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter over plain values that tells every blocker in a line of its own."""

    @wraps(function)
    def read(*values: Any) -> Any:
        try:
            return function(*(service_data.plain(value) for value in values))
        except DeclarationError as error:
            told = "\n".join(f"  {sentence}" for sentence in error.messages)
            # Ansible would repeat the cause, all messages of it.
            raise AnsibleFilterError(f"metal.kafka.{function.__name__}:\n{told}") from None

    return read


def scram_credential(
    password: Any, mechanism: Any = "SCRAM-SHA-512", iterations: Any = 8192, salt: Any = ""
) -> str:
    """A hashed password in the form of Kafka's tools; with a salt always the same."""
    low, high = scram.ITERATIONS
    if mechanism not in scram.MECHANISMS or not low <= int(iterations) <= high:
        raise AnsibleFilterError(
            f"metal.kafka.scram_credential: mechanism is one of {', '.join(scram.MECHANISMS)}, "
            f"iterations {low} to {high}"
        )
    hashed = scram.hash_password(
        str(password), str(mechanism), int(iterations), str(salt).encode() or None
    )
    return scram.text_of(str(mechanism), hashed)


def _is_printable(text: Any) -> bool:
    return all(each.isprintable() or each == "\n" for each in text)


def _numbered(text: Any) -> str:
    """YAML between double quotes, in which no character hides or turns what is beside it."""
    return "".join(each if _is_printable(each) else f"\\U{ord(each):08x}" for each in text)


class DeclarationDumper(yaml.SafeDumper):
    """Text that Ansible would take for a template is marked: names of a cluster are data."""

    def represent_text(self, text: str) -> Any:
        """A scalar, with the tag that Ansible leaves alone where it is needed."""
        tag = "!unsafe" if any(mark in text for mark in TEMPLATES) else "tag:yaml.org,2002:str"
        # Between double quotes a character may be written by its number.
        quotes = None if _is_printable(text) else '"'
        return self.represent_scalar(tag, text, style=quotes)


DeclarationDumper.add_representer(str, DeclarationDumper.represent_text)


def declaration_file(declared: Any) -> str:
    """Text of a file of declarations; what cannot be declared stands above them as comments."""
    found = dict(service_data.plain(declared))
    notes = found.pop("notes", [])
    head = "".join(f"# {visible(note)}\n" for note in notes)
    text = yaml.dump(found, Dumper=DeclarationDumper, sort_keys=False, allow_unicode=True)
    return f"---\n{head}{_numbered(text)}"


def newest_record(records: Any) -> Any:
    """The record of applied content that was written last."""
    return applied_record.newest(service_data.plain(records))


def next_record(last: Any, content: Any, names: Any) -> Any:
    """The record to keep after a run that applied ``content``; ``names``: defined variables."""
    return applied_record.following(
        service_data.plain(last), service_data.plain(content), service_data.plain(names)
    )


def missing_variables(last: Any, names: Any) -> Any:
    """Variables that were defined when a record was written and are not any more."""
    return applied_record.missing_of(service_data.plain(last), service_data.plain(names))


def removal_confirmation(kinds: Any) -> str:
    """What confirms the removal of these kinds, all at once."""
    return applied_record.confirmation(service_data.plain(kinds))


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {
            "content_declarations": reading(content_export.declarations),
            "declaration_file": declaration_file,
            "next_record": next_record,
            "missing_variables": missing_variables,
            "newest_record": newest_record,
            "content_specs": reading(declared_content.content_specs),
            "removal_confirmation": removal_confirmation,
            "scram_credential": scram_credential,
        }
