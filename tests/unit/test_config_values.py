import pytest
from ansible_collections.metal.kafka.plugins.module_utils._problems.config_values import (
    Value,
    are_equal,
)


@pytest.mark.parametrize(
    ("kind", "text", "spec", "equal"),
    [
        ("LONG", "604800000", "604800000", True),
        ("LONG", "604800000", " 0604800000", True),
        ("LONG", "1", "2", False),
        ("LONG", "1", "one", False),
        ("INT", "2", "2", True),
        ("DOUBLE", "0.5", ".50", True),
        ("DOUBLE", "0.5", "0.51", False),
        ("BOOLEAN", "true", "True", True),
        ("BOOLEAN", "true", "false", False),
        ("LIST", "compact,delete", "delete, compact", True),
        ("", "compact,delete", "delete, compact", True),
        ("", "0.5", ".50", True),
        ("", "true", "True", True),
        ("", "1000", "1048588", False),
        ("", "delete", "compact", False),
        ("LIST", "compact", "compact,delete", False),
        ("LIST", "", "", True),
        ("STRING", "lz4", "lz4", True),
        ("STRING", "lz4", "LZ4", False),
    ],
)
def test_values_are_compared_by_type(kind, text, spec, equal):
    assert are_equal(Value(text, kind), spec) is equal
