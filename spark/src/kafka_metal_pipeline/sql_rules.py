"""Checks a parsed statement or expression against the allowlist; needs no Spark.

The input is the outline that ``metal.kafka.spark.Outline`` creates from Spark's plan. A node is a
mapping: ``is``, its class; ``at``, line from 1 and column from 0, or 0, 0 if unknown; ``has``, its
parts.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kafka_metal_declarations.declared_outputs import VIEW
from kafka_metal_declarations.sql_determinism import (
    ALLOWED_DETERMINISTIC,
    NONDETERMINISTIC,
    NONDETERMINISTIC_BARE,
    NONDETERMINISTIC_WITHOUT_ARGUMENT,
)

from kafka_metal_pipeline import sql_schemas
from kafka_metal_pipeline.sql_allowlist import (
    BARE_FUNCTIONS,
    BUILTIN,
    GENERATORS,
    HINT_NODES,
    HINTS,
    NODES,
    PACKAGE,
    REFUSED,
    WITHOUT_OPTIONS,
)

Node = Mapping[str, Any]

QUERY = "one query over events: SELECT with its clauses, WITH, and subqueries over the same"
SITE_MAY = "a site allows a function by its name in pipeline_sql_functions"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Refused SQL and what is allowed instead; ``line`` and ``column`` from 1, 0 if unknown."""

    found: str
    allowed: str
    line: int = 0
    column: int = 0

    @property
    def place(self) -> str:
        """The place as text; empty if it is unknown."""
        return f" at line {self.line}, column {self.column}" if self.line else ""


@dataclass(frozen=True, slots=True)
class Allowed:
    """``functions`` are Spark's own, ``added`` those that the site allows, all in lower case.

    ``columns`` are known column names; ``queries`` is False where subqueries are not allowed: in
    rules and keys, which are evaluated per record. ``deterministic`` is True for rules, which
    several queries evaluate.
    """

    functions: Collection[str]
    added: Collection[str] = ()
    columns: Collection[str] = ()
    queries: bool = True
    deterministic: bool = False


def refusals(tree: Node, allowed: Allowed) -> list[Refusal]:
    """Return everything in ``tree`` that is not allowed, in the order of the text."""
    names = {name.lower() for name in allowed.columns} | set(_named(tree))
    reading = _Reading(allowed, names)
    found = list(reading.of(tree, frozenset([VIEW]) if allowed.queries else frozenset()))
    if allowed.queries and not found and not reading.reads_events:
        found.append(Refusal("a query that does not read events", QUERY))
    return sorted(set(found), key=lambda each: (each.line, each.column, each.found))


def defined_columns(tree: Node) -> set[str]:
    """Return the column names that a statement defines, in lower case."""
    return set(_named(tree))


def _named(tree: Node) -> Iterator[str]:
    for node in _nodes(tree):
        has = node["has"]
        for key in ("name", "outputColumnNames", "outputNames", "names"):
            named = has.get(key)
            for name in [named] if isinstance(named, str) else named or ():
                if isinstance(name, str):
                    yield name.lower()


def _nodes(tree: Any) -> Iterator[Node]:
    """Yield every node; not recursive, as a sum of 1,000 terms is 1,000 nodes deep."""
    waiting = [tree]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Mapping):
            yield each
            waiting.extend(each["has"].values())
        elif isinstance(each, list):
            waiting.extend(each)


class _Reading:
    """One traversal of a tree; ``relations`` are those in scope at each node."""

    def __init__(self, allowed: Allowed, columns: Collection[str]) -> None:
        self._allowed = allowed
        self._columns = columns
        self.reads_events = False

    def of(self, tree: Any, relations: frozenset[str]) -> Iterator[Refusal]:
        waiting: list[tuple[Any, frozenset[str]]] = [(tree, relations)]
        while waiting:
            each, known = waiting.pop()
            if isinstance(each, list):
                waiting.extend((part, known) for part in each)
            if not isinstance(each, Mapping):
                continue
            kind = node_class(each)
            if kind not in NODES:
                yield _refused(each, f"{_plain(kind)}", QUERY)
                continue
            yield from self._node(each, kind, known)
            if kind == "plans.logical.UnresolvedWith":
                waiting.extend(self._scopes(each, known))
                continue
            waiting.extend((part, known) for part in each["has"].values())

    def _scopes(self, node: Node, known: frozenset[str]) -> Iterator[tuple[Any, frozenset[str]]]:
        """Yield the parts of a WITH clause: each CTE may use those before it."""
        for name, query, *_ in node["has"]["cteRelations"]:
            yield query, known
            known |= {name.lower()}
        yield node["has"]["child"], known

    def _node(self, node: Node, kind: str, known: frozenset[str]) -> Iterator[Refusal]:
        has = node["has"]
        match kind.rpartition(".")[2]:
            case "UnresolvedRelation":
                yield from self._relation(node, has, known)
            case "UnresolvedFunction":
                yield from self._function(node, has["nameParts"], has["arguments"])
            case "UnresolvedGenerator":
                parts = [part for part in reversed(has["name"]) if part]
                yield from self._function(node, parts, has["children"])
            case "UnresolvedTableValuedFunction":
                yield from self._table_function(node, has["name"])
            case "UnresolvedAttribute":
                yield from self._bare(node, has["nameParts"])
            case "UnresolvedHint":
                yield from _hint(node, has)
            case "CurrentDate" | "CurrentTime" | "CurrentTimestamp" as clock:
                if self._allowed.deterministic:
                    yield _refused(node, clock, ALLOWED_DETERMINISTIC)
            case "UnresolvedWith" if has["allowRecursion"]:
                yield _refused(node, "WITH RECURSIVE", "WITH, without recursion")
            case "Exists" | "ListQuery" | "ScalarSubquery" | "LateralSubquery":
                if not self._allowed.queries:
                    yield _refused(node, "a subquery", "an expression over one record")

    def _relation(
        self, node: Node, has: Mapping[str, Any], known: frozenset[str]
    ) -> Iterator[Refusal]:
        parts = has["multipartIdentifier"]
        name = ".".join(parts)
        if has["options"] or has["isStreaming"]:
            yield _refused(node, f"options of {name}", f"{VIEW} without options")
        elif len(parts) != 1 or name.lower() not in known:
            others = ", ".join(sorted(known - {VIEW}))
            yield _refused(
                node,
                f"the relation {name}",
                f"{VIEW}{f', {others}' if others else ''}, and names of WITH",
            )
        elif name.lower() == VIEW:
            self.reads_events = True

    def _function(self, node: Node, parts: list[str], arguments: list[Any]) -> Iterator[Refusal]:
        name = ".".join(parts).lower()
        *before, last = (part.lower() for part in parts)
        is_random = last in NONDETERMINISTIC or (
            last in NONDETERMINISTIC_WITHOUT_ARGUMENT and not arguments
        )
        if self._allowed.deterministic and is_random:
            yield _refused(node, f"the function {last}", ALLOWED_DETERMINISTIC)
            return
        if name in self._allowed.added or (
            tuple(before) in ((), *BUILTIN) and last in self._allowed.added
        ):
            return
        if before and tuple(before) not in BUILTIN:
            yield _refused(node, f"the function {name}", f"functions of Spark itself; {SITE_MAY}")
        elif reason := REFUSED.get(last):
            yield _refused(node, f"the function {last}: {reason}", f"another function; {SITE_MAY}")
        elif len(arguments) > WITHOUT_OPTIONS.get(last, len(arguments)):
            most = WITHOUT_OPTIONS[last]
            yield _refused(
                node,
                f"the function {last} with options, which may name files",
                f"at most {most} argument{'s' if most > 1 else ''}; {SITE_MAY}",
            )
        elif found := sql_schemas.schema_found(last, arguments):
            yield _refused(node, found, f"{sql_schemas.ALLOWED}; {SITE_MAY}")
        elif last not in self._allowed.functions:
            yield _refused(node, f"the function {name}", f"functions of Spark itself; {SITE_MAY}")

    def _table_function(self, node: Node, parts: list[str]) -> Iterator[Refusal]:
        name = ".".join(parts).lower()
        *before, last = name.split(".")
        qualified = tuple(before) in ((), *BUILTIN)
        if name in self._allowed.added or (qualified and last in GENERATORS):
            return
        makers = ", ".join(sorted(GENERATORS))
        yield _refused(node, f"the function {name} as a relation", f"{makers}; {SITE_MAY}")

    def _bare(self, node: Node, parts: list[str]) -> Iterator[Refusal]:
        """Check a name without brackets: ``user`` is a function unless it is a column."""
        name = parts[0].lower()
        functions = BARE_FUNCTIONS
        if self._allowed.deterministic:
            functions = functions.union(NONDETERMINISTIC_BARE)
        if len(parts) == 1 and name in functions and name not in self._columns:
            yield from self._function(node, parts, [])


def _hint(node: Node, has: Mapping[str, Any]) -> Iterator[Refusal]:
    name = has["name"].lower()
    if name not in HINTS:
        yield _refused(node, f"the hint {name}", ", ".join(sorted(HINTS)))
    for part in has["parameters"]:
        if isinstance(part, Mapping) and node_class(part) not in HINT_NODES:
            found = f"{_plain(node_class(part))} in the hint {name}"
            yield _refused(part, found, "numbers and names in a hint")


def node_class(node: Node) -> str:
    """Return a node's class relative to Spark's package; the full name of other classes."""
    return str(node["is"]).removeprefix(PACKAGE).rstrip("$")


def _plain(kind: str) -> str:
    return kind.rpartition(".")[2]


def _refused(node: Node, found: str, allowed: str) -> Refusal:
    line, column = node["at"]
    return Refusal(found, allowed, line, column + 1 if line else 0)
