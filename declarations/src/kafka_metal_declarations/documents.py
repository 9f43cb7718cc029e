"""YAML in which a key that is there twice is a mistake, and not silently the last one."""

from typing import Any

import yaml

from kafka_metal_declarations.keys import HIGHEST_NUMBER, shown

# What a constructor of Python fails with when a value is none of its type.
_NO_VALUE = (ArithmeticError, AttributeError, KeyError, TypeError, ValueError)


class _Strict(yaml.SafeLoader):
    """Refuses what YAML itself forbids and its usual reader allows."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """The value of a node, where it is one of its type.

        Built at once, whatever ``deep`` says: so PyYAML refuses a node that holds itself.
        """
        try:
            value = super().construct_object(node, deep=True)
        except _NO_VALUE as error:
            kind = node.tag.rpartition(":")[2]
            found = f"found {shown(node.value)}, which is no {kind}; allowed is one, or a text"
            raise yaml.constructor.ConstructorError(None, None, found, node.start_mark) from error
        if isinstance(value, int) and abs(value) > HIGHEST_NUMBER:
            found = f"found the number {shown(node.value)}; allowed are up to {HIGHEST_NUMBER}"
            raise yaml.constructor.ConstructorError(None, None, found, node.start_mark)
        return value

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """A mapping whose keys are there once each, those of merged ones aside."""
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
    """The document of a text. Raises yaml.YAMLError with line and column."""
    try:
        # The loader is a SafeLoader.
        return yaml.load(text, Loader=_Strict)
    except RecursionError as error:
        found = "found hundreds of values within each other; allowed are fewer"
        raise yaml.YAMLError(found) from error
