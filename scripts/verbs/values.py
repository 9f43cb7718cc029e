"""Values given to make, from the environment: never run by a shell, never read as a template."""

import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from verbs.codes import Code

# What the engine allows in a container's name, and so in the names of clusters and services.
NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_.-]*")
# A host in a list of hosts: a name, an address, a range.
HOST = re.compile(r"[\w.:\[\]-]+", re.ASCII)
YES, NO = ("1", "yes", "true", "on"), ("", "0", "no", "false", "off")


def refuse(text: str) -> NoReturn:
    """End before anything is touched."""
    print(f"make: {text}; nothing was touched", file=sys.stderr)
    sys.exit(Code.NOT_WELL)


def value(name: str) -> str:
    """A value given to make, empty when there is none."""
    text = os.environ.get(name, "")
    if not text.isprintable() and any("\ud800" <= char <= "\udfff" for char in text):
        refuse(f"{name}: found bytes that are no UTF-8; allowed: text")
    return text


def yes(name: str) -> bool:
    """A switch, such as DRY=1."""
    said = value(name).lower()
    if said not in (*YES, *NO):
        refuse(f"{name}: found {said!r}; allowed: 1 or 0, yes or no, true or false, on or off")
    return said in YES


def named(name: str) -> str:
    """The name of a cluster or a service."""
    text = value(name)
    if not NAME.fullmatch(text):
        refuse(f"{name}: found {text!r}; allowed: letters, digits, '_', '.' and '-'")
    return text


def number(name: str) -> int:
    """A whole number."""
    text = value(name)
    if not re.fullmatch(r"[0-9]{1,9}", text):
        refuse(f"{name}: found {text!r}; allowed: a whole number")
    return int(text)


def folder(name: str) -> str:
    """A directory; a relative one starts where make runs."""
    try:
        return str(Path(value(name)).expanduser().absolute())
    except RuntimeError:
        refuse(f"{name}: found {value(name)!r}; allowed: a directory")


# How values are read that are no text.
READ: Mapping[str, Callable[[str], Any]] = {"FINISH": yes, "SBOM": folder, "SECONDS": number}


def unsafe(variables: Mapping[str, Any]) -> str:
    """Variables as a file for ``-e @FILE``; a text is never read as a template."""

    def scalar(found: Any) -> str:
        if not isinstance(found, str):
            return json.dumps(found)
        return f'!unsafe "{"".join(f"{chr(92)}U{ord(char):08x}" for char in found)}"'

    return "".join(f"{name}: {scalar(found)}\n" for name, found in variables.items())


def _there(path: str) -> bool:
    """Whether there is such a file or directory."""
    try:
        return Path(path).expanduser().exists()
    except (OSError, RuntimeError, ValueError):
        # Too long for a name, or the home of nobody.
        return False


def inventories(text: str) -> list[str]:
    """Sources of the inventory: files and directories by comma, or a list of hosts as it is."""
    parts = [part for part in text.split(",") if part]
    if parts and all(map(_there, parts)):
        return parts
    if "," in text and all(HOST.fullmatch(part) and not part.startswith("-") for part in parts):
        return [text]
    return refuse(
        f"INVENTORY: found {text!r}, which is not there; allowed: a file, "
        "a directory, several by comma, or a list of hosts such as node1,node2"
    )


def variables(names: Mapping[str, str]) -> dict[str, Any]:
    """Values that are given, by the variable that a playbook calls them."""
    return {to: READ.get(name, value)(name) for name, to in names.items() if value(name)}
