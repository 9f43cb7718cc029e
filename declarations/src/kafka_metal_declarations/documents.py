"""Strict YAML: a duplicate key is an error; plain YAML would silently use the last one."""

import io
from typing import Any

import yaml

from kafka_metal_declarations.keys import HIGHEST_NUMBER
from kafka_metal_declarations.printable_values import format_value

# Errors of Python's constructors for values of the wrong type.
_NO_VALUE = (ArithmeticError, AttributeError, KeyError, TypeError, ValueError)


class _Strict(yaml.SafeLoader):
    """Refuses what the YAML specification forbids but PyYAML accepts."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Return the value of a node; ConstructorError if it does not match its type.

        Ignores ``deep`` and constructs at once, so that PyYAML refuses recursive nodes.
        """
        try:
            value = super().construct_object(node, deep=True)
        except _NO_VALUE as error:
            kind = node.tag.rpartition(":")[2]
            found = (
                f"found {format_value(node.value)}, not a valid {kind}; allowed is one, or a text"
            )
            raise yaml.constructor.ConstructorError(None, None, found, node.start_mark) from error
        if isinstance(value, int) and abs(value) > HIGHEST_NUMBER:
            found = (
                f"found the number {format_value(node.value)}; allowed is at most {HIGHEST_NUMBER}"
            )
            raise yaml.constructor.ConstructorError(None, None, found, node.start_mark)
        return value

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return a mapping; ConstructorError for duplicate keys, except merged ones."""
        seen: dict[Any, yaml.Mark] = {}
        for key, _ in node.value:
            if key.tag == "tag:yaml.org,2002:merge":
                continue
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(
                    "while reading a mapping",
                    node.start_mark,
                    f"found a {key.id} as a key; allowed is a text",
                    key.start_mark,
                )
            name = self.construct_object(key, deep=True)
            if name in seen:
                raise yaml.constructor.ConstructorError(
                    "while reading a mapping",
                    seen[name],
                    f"found key {name!r} a second time",
                    key.start_mark,
                )
            seen[name] = key.start_mark
        found: dict[Any, Any] = super().construct_mapping(node, deep)
        return found


def read(text: str) -> Any:
    """Return the document of a text; yaml.YAMLError with line and column."""
    try:
        # A SafeLoader. Errors in a stream do not quote lines, which may have passwords.
        return yaml.load(io.StringIO(text), Loader=_Strict)
    except RecursionError as error:
        found = "found hundreds of nested values; allowed are fewer"
        raise yaml.YAMLError(found) from error
