"""Parsing of a pipeline: from a mapping, as YAML returns it, to a Declaration or its problems.

Needs no Spark: the control node validates before it changes anything; drivers validate again.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from kafka_metal_declarations.declared_outputs import (
    OUTPUT_KEYS,
    overlapping_archives,
    read_outputs,
)
from kafka_metal_declarations.declared_site import SITE_KEYS, read_site
from kafka_metal_declarations.declared_source import read_source
from kafka_metal_declarations.keys import (
    DeclarationError,
    Problem,
    Section,
    most_similar_first,
)
from kafka_metal_declarations.model import DEFAULT_MEMORY, Declaration, Resources, Source
from kafka_metal_declarations.printable_values import format_value
from kafka_metal_declarations.sql_determinism import nondeterministic
from kafka_metal_declarations.templates import expand_template
from kafka_metal_declarations.value_patterns import (
    ALLOWED_MEMORY,
    ALLOWED_NAME,
    ALLOWED_TOPIC,
    ALLOWED_TRIGGER,
    MEMORY,
    NAME,
    REASONS,
    TOPIC,
    TRIGGER,
)

__all__ = ["DeclarationError", "Problem", "find_problems", "parse", "parse_all", "pipeline_topics"]

KEYS = ("name", "use", "source", "rules", "outputs", "invalid", "trigger", "resources")
RESOURCE_KEYS = ("cores", "executor_memory", "driver_memory")


def parse(name: str, body: object) -> Declaration:
    """Return the pipeline ``name``; DeclarationError lists every mistake."""
    problems: list[Problem] = []
    declaration = _read(name, body, problems)
    if problems or declaration is None:
        raise DeclarationError(problems)
    return declaration


def parse_all(pipelines: object) -> dict[str, Declaration]:
    """Return pipelines by name; DeclarationError lists every mistake in all of them."""
    if not isinstance(pipelines, Mapping):
        raise DeclarationError(
            [Problem("", "pipelines", format_value(pipelines), "a mapping by name")]
        )
    problems: list[Problem] = []
    named = Section("", "pipelines", pipelines, problems).names()
    found = [_read(name, pipelines[name], problems) for name in named]
    declarations = {d.name: d for d in found if d is not None}
    problems += overlapping_archives(declarations)
    if problems:
        raise DeclarationError(problems)
    return declarations


def find_problems(pipelines: object) -> tuple[Problem, ...]:
    """Return the problems of pipelines by name; empty if they are valid."""
    try:
        parse_all(pipelines)
    except DeclarationError as error:
        return error.problems
    return ()


def pipeline_topics(declaration: Declaration) -> dict[str, list[str]]:
    """Return the topics that a pipeline ``reads`` and ``writes``, each sorted."""
    targets = [*(output.topic for output in declaration.outputs), declaration.invalid]
    reads = () if declaration.source.path else declaration.source.topics
    return {"reads": sorted(reads), "writes": sorted(filter(None, targets))}


def _read(name: str, body: object, problems: list[Problem]) -> Declaration | None:
    """Return a declaration, which is only valid if ``problems`` did not grow."""
    if not isinstance(body, Mapping):
        problems.append(Problem(name, "(the whole)", format_value(body), "a mapping with a source"))
        return None
    validates = body.get("use") == "validate"
    known = len(problems)
    body = expand_template(Section(name, "", body, problems), SITE_KEYS)
    if len(problems) > known:
        # The user did not write the keys that the template generates: report no errors there.
        return None
    top = Section(name, "", body, problems)
    # The short form: the keys of a single output are at the top level.
    short = {key: body[key] for key in OUTPUT_KEYS if key in body and key not in KEYS}
    top.only({*KEYS, *(() if "outputs" in body else OUTPUT_KEYS)}, silent=SITE_KEYS)
    if not re.fullmatch(NAME, name):
        top.wrong("name", name, ALLOWED_NAME)
    if body.get("name", name) != name:
        top.wrong("name", body["name"], name)
    trigger = top.text("trigger", ALLOWED_TRIGGER, TRIGGER) or "1 second"
    source = read_source(top.section("source", required=True))
    rules = _read_rules(top.section("rules"), source)
    site = read_site(top)
    if source.registry and not source.registry.site:
        source = replace(source, registry=replace(source.registry, site=site.registry))
    declaration = Declaration(
        name=name,
        source=source,
        rules=rules,
        outputs=read_outputs(top, short, source, trigger, may_be_none=validates),
        invalid=_read_invalid(top, source, rules),
        trigger=trigger,
        resources=_read_resources(top.section("resources")),
        site=site,
    )
    _check_topics(top, declaration)
    _check_databases(top, declaration)
    return declaration


def _read_invalid(top: Section, source: Source, rules: Mapping[str, str]) -> str | None:
    if source.format == "bytes" and not rules:
        if top.values.get("invalid") is not None:
            top.wrong("invalid", "this key", "this key only if a record can be invalid")
        return None
    return top.needed("invalid", ALLOWED_TOPIC, TOPIC)


def _read_rules(rules: Section, source: Source) -> dict[str, str]:
    read = {}
    for rule in rules.names():
        predicate = rules.needed(rule, "a SQL predicate")
        if not re.fullmatch(NAME, rule):
            rules.wrong(rule, "this name", ALLOWED_NAME)
        if rule in REASONS:
            rules.wrong(rule, "this name", f"a name other than {', '.join(REASONS)}")
        if found := nondeterministic(predicate, source.fields):
            rules.wrong(rule, *found)
        read[rule] = predicate
    return read


def _read_resources(resources: Section) -> Resources:
    resources.only(RESOURCE_KEYS)
    return Resources(
        cores=resources.whole("cores", high=10_000) or 1,
        executor_memory=resources.text("executor_memory", ALLOWED_MEMORY, MEMORY) or DEFAULT_MEMORY,
        driver_memory=resources.text("driver_memory", ALLOWED_MEMORY, MEMORY) or DEFAULT_MEMORY,
    )


def _check_topics(top: Section, declaration: Declaration) -> None:
    """A pipeline must not read a topic that it writes; invalid records need their own topic."""
    source, invalid = declaration.source, declaration.invalid
    read = () if source.path else source.topics
    if not all(source.topics) or invalid == "":
        return
    if invalid in read:
        top.wrong("invalid", str(invalid), f"a topic other than the source, {source.name}")
    for output in declaration.outputs:
        if output.topic and output.topic in (*read, invalid):
            others = " and ".join(filter(None, [*read, invalid]))
            top.wrong(f"outputs.{output.name}.topic", output.topic, f"a topic other than {others}")


def _check_databases(top: Section, declaration: Declaration) -> None:
    """Check names of databases if the site provides them, and that no two outputs share a table."""
    known = sorted(declaration.site.databases)
    tables: dict[tuple[str | None, str], str] = {}
    for output in declaration.outputs:
        if output.table is None:
            continue
        where = f"outputs.{output.name}"
        if known and output.database and output.database not in known:
            top.wrong(
                f"{where}.database", output.database, most_similar_first(output.database, known)
            )
        owner = tables.setdefault((output.database, output.table), output.name)
        if owner != output.name:
            top.wrong(f"{where}.table", output.table, f"a table other than that of {owner}")
