"""YAML in which a key that is there twice is a mistake, and not silently the last one."""

from typing import Any

import yaml


class _Strict(yaml.SafeLoader):
    """Refuses what YAML itself forbids and its usual reader allows."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """A mapping whose keys are there once each, those of merged ones aside."""
        seen: dict[Any, yaml.Mark] = {}
        for key, _ in node.value:
            if key.tag == "tag:yaml.org,2002:merge":
                continue
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
    # The loader is a SafeLoader.
    return yaml.load(text, Loader=_Strict)
