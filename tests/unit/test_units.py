import pytest
from ansible_collections.metal.kafka.plugins.module_utils._common.units import (
    UnitError,
    duration_ms,
    heap_bytes,
    memory_bytes,
    size_bytes,
    size_text,
)


@pytest.mark.parametrize(
    ("written", "milliseconds"),
    [
        ("7d", 604_800_000),
        ("36h", 129_600_000),
        ("1.5h", 5_400_000),
        ("2 m", 120_000),
        ("500ms", 500),
        ("1W", 604_800_000),
        ("250", 250),
        (250, 250),
        (0, 0),
        (-1, -1),
        ("-1", -1),
        ("unlimited", -1),
        ("Forever", -1),
    ],
)
def test_durations_are_converted_to_milliseconds(written, milliseconds):
    assert duration_ms(written) == milliseconds


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("10GB", 10_000_000_000),
        ("512MiB", 536_870_912),
        ("1.5 KiB", 1536),
        ("1kb", 1000),
        ("7b", 7),
        (1024, 1024),
        ("9223372036854775807", 9_223_372_036_854_775_807),
        (-1, -1),
    ],
)
def test_sizes_are_converted_to_bytes(written, size):
    assert size_bytes(written) == size


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("512m", 512 << 20),
        ("6GiB", 6 << 30),
        # As the container engine reads it, not as on disk labels.
        ("6gb", 6 << 30),
        ("1.1g", 1_181_116_006),
        ("100", 100),
        (1024, 1024),
        ("2 t", 2 << 40),
        ("", None),
        ("m", None),
        ("6x", None),
        ("-1", None),
        ("unlimited", None),
        (True, None),
        (None, None),
    ],
)
def test_memory_is_counted_in_units_of_1024(written, size):
    assert memory_bytes(written) == size


@pytest.mark.parametrize(
    ("written", "size"),
    [("512m", 512 << 20), ("4G", 4 << 30), ("1024", 1024)]
    + [(text, None) for text in ("1.5g", "4gb", "4 g", " 4g", "4GiB", "", None)],
)
def test_heap_sizes_are_those_of_the_jvm(written, size):
    assert heap_bytes(written) == size


@pytest.mark.parametrize("written", ["", "d", "7 days", "7x", "-7d", "0.3ms", True, None, 1.5, []])
def test_invalid_duration_error_has_text_and_example(written):
    with pytest.raises(UnitError) as refusal:
        duration_ms(written)
    assert repr(written) in str(refusal.value)


def test_unit_of_time_is_no_unit_of_size():
    with pytest.raises(UnitError, match="'7d' is not a size; write it like 10GB"):
        size_bytes("7d")


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (12 << 20, "12 MiB"),
        (2**30, "1.0 GiB"),
        (3.5 * 2**30, "3.5 GiB"),
        (3 << 40, "3.0 TiB"),
        (2**60, "1048576.0 TiB"),
    ],
)
def test_sizes_are_formatted_for_people(size, text):
    assert size_text(size) == text
