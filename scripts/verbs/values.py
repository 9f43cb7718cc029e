"""Values from make, in the environment: never run by a shell, never evaluated as a template."""

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

# Allowed names of containers, and therefore of clusters and services.
NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_.-]*")
# A host in a list of hosts: a name, an address or a range.
HOST = re.compile(r"[\w.:\[\]-]+", re.ASCII)
YES, NO = ("1", "yes", "true", "on"), ("", "0", "no", "false", "off")


class RefusedError(Exception):
    """The run is refused before changes; the text says why."""


def refuse(text: str) -> NoReturn:
    """End the run before changes."""
    raise RefusedError(f"make: {text}; nothing was touched")


def value(name: str) -> str:
    """Value of a make variable; empty if it is not set."""
    text = os.environ.get(name, "")
    if not text.isprintable() and any("\ud800" <= char <= "\udfff" for char in text):
        refuse(f"{name}: found bytes that are not UTF-8; allowed: text")
    return text


def yes(name: str) -> bool:
    """Whether a switch such as DRY=1 is on."""
    text = value(name).lower()
    if text not in (*YES, *NO):
        refuse(f"{name}: found {text!r}; allowed: 1 or 0, yes or no, true or false, on or off")
    return text in YES


def named(name: str) -> str:
    """Name of a cluster or a service."""
    text = value(name)
    if not NAME.fullmatch(text):
        refuse(f"{name}: found {text!r}; allowed: letters, digits, '_', '.' and '-'")
    return text


def service(name: str) -> str:
    """Name of a service as ``make status`` prints it: kafka1, or exporter@node1."""
    text = value(name)
    if not all(NAME.fullmatch(part) for part in text.split("@", maxsplit=1)):
        refuse(
            f"{name}: found {text!r}; allowed: letters, digits, '_', '.' and '-', "
            "and '@' before a machine"
        )
    return text


def number(name: str) -> int:
    """A whole number."""
    text = value(name)
    if not re.fullmatch(r"[0-9]{1,9}", text):
        refuse(f"{name}: found {text!r}; allowed: a whole number")
    return int(text)


def folder(name: str) -> str:
    """Absolute path of a directory; relative paths start in the working directory of make."""
    try:
        return str(Path(value(name)).expanduser().absolute())
    except RuntimeError:
        refuse(f"{name}: found {value(name)!r}; allowed: a directory")


# Conversions of values that are not text.
CONVERSIONS: Mapping[str, Callable[[str], Any]] = {"FINISH": yes, "SBOM": folder, "SECONDS": number}


def unsafe(variables: Mapping[str, Any]) -> str:
    """Variables as a file for ``-e @FILE``; texts in it are never evaluated as templates."""

    def scalar(found: Any) -> str:
        if not isinstance(found, str):
            return json.dumps(found)
        return f'!unsafe "{"".join(f"{chr(92)}U{ord(char):08x}" for char in found)}"'

    return "".join(f"{name}: {scalar(found)}\n" for name, found in variables.items())


def _exists(path: str) -> bool:
    """Whether a file or directory exists."""
    try:
        return Path(path).expanduser().exists()
    except (OSError, RuntimeError, ValueError):
        # The name is too long, or the user of ``~user`` is unknown.
        return False


def inventories(text: str) -> list[str]:
    """Inventory sources: comma-separated files and directories, or one list of hosts."""
    parts = [part for part in text.split(",") if part]
    if parts and all(map(_exists, parts)):
        return parts
    if "," in text and all(HOST.fullmatch(part) and not part.startswith("-") for part in parts):
        return [text]
    return refuse(
        f"INVENTORY: found {text!r}, which does not exist; allowed: a file, "
        "a directory, several by comma, or a list of hosts such as node1,node2"
    )


def variables(names: Mapping[str, str]) -> dict[str, Any]:
    """Values that are set, by the names of playbook variables."""
    return {to: CONVERSIONS.get(name, value)(name) for name, to in names.items() if value(name)}
