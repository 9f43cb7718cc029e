# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters that read and write declarations of a cluster's content."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import yaml
from ansible.errors import AnsibleFilterError

from ..module_utils._content import applied_state
from ..module_utils._kafka import scram
from ..module_utils._problems.messages import printable_line
from ..plugin_utils._declarations import content_export, declared_content, service_data
from ..plugin_utils._declarations.declaration_reader import DeclarationError

# Openings of Ansible's templates.
TEMPLATES = ("{{", "{%", "{#")


def as_filter(function: Callable[..., Any]) -> Callable[..., Any]:
    """Turn a function into a filter over plain types; its error has a line for each fault."""

    @wraps(function)
    def read(*values: Any) -> Any:
        try:
            return function(*(service_data.to_builtin(value) for value in values))
        except DeclarationError as error:
            messages = "\n".join(f"  {message}" for message in error.messages)
            # Without the cause, whose messages Ansible would repeat.
            raise AnsibleFilterError(f"metal.kafka.{function.__name__}:\n{messages}") from None

    return read


def scram_credential(
    password: Any, mechanism: Any = "SCRAM-SHA-512", iterations: Any = 8192, salt: Any = ""
) -> str:
    """A hashed password in the form of Kafka's tools; reproducible with a salt."""
    low, high = scram.ITERATIONS
    if mechanism not in scram.MECHANISMS or not low <= int(iterations) <= high:
        raise AnsibleFilterError(
            f"metal.kafka.scram_credential: found {mechanism} with {iterations} iterations; "
            f"allowed: one of {', '.join(scram.MECHANISMS)}, and {low} to {high} iterations"
        )
    hashed = scram.hash_password(
        str(password), str(mechanism), int(iterations), str(salt).encode() or None
    )
    return scram.format_hashed(str(mechanism), hashed)


def _is_printable(text: Any) -> bool:
    return all(each.isprintable() or each == "\n" for each in text)


def _numbered(text: Any) -> str:
    """Replace unprintable characters, which may hide or reorder text, by YAML escapes."""
    return "".join(each if _is_printable(each) else f"\\U{ord(each):08x}" for each in text)


class DeclarationDumper(yaml.SafeDumper):
    """Dumper that marks texts with template syntax as unsafe: names in a cluster are data."""

    def represent_text(self, text: str) -> Any:
        """Return a scalar, with the tag !unsafe if Ansible would treat it as a template."""
        tag = "!unsafe" if any(mark in text for mark in TEMPLATES) else "tag:yaml.org,2002:str"
        # Escapes are only allowed between double quotes.
        quotes = None if _is_printable(text) else '"'
        return self.represent_scalar(tag, text, style=quotes)


DeclarationDumper.add_representer(str, DeclarationDumper.represent_text)


def declaration_file(declared: Any) -> str:
    """Text of a file of declarations, with the notes as comments at the top."""
    found = dict(service_data.to_builtin(declared))
    notes = found.pop("notes", [])
    head = "".join(f"# {printable_line(note)}\n" for note in notes)
    text = yaml.dump(found, Dumper=DeclarationDumper, sort_keys=False, allow_unicode=True)
    return f"---\n{head}{_numbered(text)}"


def newest_applied_state(states: Any) -> Any:
    """Return the newest of the hosts' applied states."""
    return applied_state.newest(service_data.to_builtin(states))


def next_applied_state(last: Any, content: Any, names: Any) -> Any:
    """The applied state after a run that applied ``content``; ``names``: defined variables."""
    return applied_state.state_after(
        service_data.to_builtin(last),
        service_data.to_builtin(content),
        service_data.to_builtin(names),
    )


def missing_variables(last: Any, names: Any) -> Any:
    """Variables that were defined when the applied state was stored, but no longer are."""
    return applied_state.undefined_variables(
        service_data.to_builtin(last), service_data.to_builtin(names)
    )


def removal_confirmation(kinds: Any, topics: Any = ()) -> str:
    """The option that confirms the removal of these kinds, and the deletion of topics."""
    return applied_state.confirmation(
        service_data.to_builtin(kinds), service_data.to_builtin([*topics])
    )


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {
            "content_declarations": as_filter(content_export.declarations),
            "declaration_file": declaration_file,
            "next_applied_state": next_applied_state,
            "missing_variables": missing_variables,
            "newest_applied_state": newest_applied_state,
            "content_specs": as_filter(declared_content.content_specs),
            "removal_confirmation": removal_confirmation,
            "scram_credential": scram_credential,
        }
