"""Nested values: types inside ARRAY, MAP and STRUCT, to any depth.

A wrong time in a nested member breaks a watermark just like one at the top level. So both are
parsed alike, as text first: see ``ranges``.
"""

from collections.abc import Callable
from functools import reduce

from kafka_metal_declarations.ddl import INSTANT_TYPES, inner_types, quote_name, type_base
from pyspark.sql import Column
from pyspark.sql import functions as F

# Called with a non-nested type, its parsed text and its value; returns whether that is a fault.
Leaf = Callable[[str, Column, Column], Column | None]


def holds_instants(declared: str) -> bool:
    """Whether a type is an instant or contains one."""
    inner = inner_types(declared)
    if not inner:
        return type_base(declared) in INSTANT_TYPES
    return any(holds_instants(kind) for _, kind in inner)


def wire_type(declared: str) -> str:
    """Return the type with STRING in place of every instant."""
    if not holds_instants(declared):
        return declared
    base, inner = type_base(declared), inner_types(declared)
    if not inner:
        return "STRING"
    if base == "STRUCT":
        members = (f"{quote_name(name)}: {wire_type(kind)}" for name, kind in inner)
        return f"STRUCT<{', '.join(members)}>"
    return f"{base}<{', '.join(wire_type(kind) for _, kind in inner)}>"


def rebuild(declared: str, wire: Column, read: Callable[[Column], Column]) -> Column:
    """Return the value of a wire type with ``read`` applied to every instant's text."""
    if not holds_instants(declared):
        return wire
    base, inner = type_base(declared), inner_types(declared)
    if not inner:
        return read(wire)
    if base == "ARRAY":
        return F.transform(wire, lambda element: rebuild(inner[0][1], element, read))
    if base == "MAP":
        return F.transform_values(wire, lambda _, value: rebuild(inner[1][1], value, read))
    members = [rebuild(kind, wire[name], read).alias(name) for name, kind in inner]
    return F.when(wire.isNotNull(), F.struct(*members))


def any_leaf(declared: str, wire: Column, value: Column, leaf: Leaf) -> Column | None:
    """Return whether ``leaf`` is true anywhere inside; None if no type is checked."""
    base, inner = type_base(declared), inner_types(declared)
    if not inner:
        return leaf(declared, wire, value)
    if base == "STRUCT":
        found = [any_leaf(kind, wire[name], value[name], leaf) for name, kind in inner]
        conditions = [F.coalesce(each, F.lit(False)) for each in found if each is not None]
        return reduce(Column.__or__, conditions) if conditions else None
    if base == "MAP":
        wire, value = F.map_values(wire), F.map_values(value)
    kind = inner[-1][1]
    if any_leaf(kind, wire, value, leaf) is None:
        return None

    def is_fault(one: Column, other: Column) -> Column:
        condition = any_leaf(kind, one, other, leaf)
        return F.lit(False) if condition is None else condition

    return F.exists(F.zip_with(wire, value, is_fault), lambda found: found)
