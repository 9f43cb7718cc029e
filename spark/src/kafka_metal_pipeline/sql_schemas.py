"""Checks of schemas that a statement passes to functions as text; needs no Spark.

Spark parses such a text as names and types, or as JSON. In JSON a field may have a default: SQL
that Spark would run without a check.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

# Position of the schema among the arguments of each function, from 0.
SCHEMAS = {"from_json": 1, "from_csv": 1, "from_xml": 1, "variant_get": 2, "try_variant_get": 2}
OF_SAMPLES = frozenset(("schema_of_json", "schema_of_csv", "schema_of_xml"))
# DDL begins with a name, JSON with a bracket.
DDL = re.compile(r"\s*[A-Za-z_`]")
ALLOWED = "names and types in quotes, as 'a INT, b STRING', or schema_of_json of a sample in quotes"
# Star and named arguments may change the positions of the others.
_MOVING = ("UnresolvedStar", "UnresolvedStarExceptOrReplace", "NamedArgumentExpression")


def schema_found(name: str, arguments: Sequence[Any]) -> str | None:
    """Return what is wrong with the schema among the arguments of ``name``; None if it is valid."""
    place = SCHEMAS.get(name)
    if place is None:
        return None
    if any(_class(each) in _MOVING for each in arguments):
        return f"arguments of {name} by name or by a star"
    if len(arguments) <= place or _is_plain(arguments[place]):
        # Spark itself refuses a missing schema.
        return None
    return f"a schema of {name} that is JSON or computed"


def _is_plain(schema: Any) -> bool:
    match _class(schema):
        case "Literal":
            return DDL.match(_text(schema) or "") is not None
        case "UnresolvedFunction":
            *_, last = schema["has"]["nameParts"]
            arguments = schema["has"]["arguments"]
            return last.lower() in OF_SAMPLES and all(_text(each) for each in arguments[:1])
    return False


def _text(node: Any) -> str | None:
    """Return the text of a quoted literal; None for other nodes."""
    if _class(node) != "Literal":
        return None
    has = node["has"]
    value = has["value"]
    return value if isinstance(value, str) and has["dataType"].startswith("StringType") else None


def _class(node: Any) -> str:
    return node["is"].rpartition(".")[2].rstrip("$") if isinstance(node, Mapping) else ""
