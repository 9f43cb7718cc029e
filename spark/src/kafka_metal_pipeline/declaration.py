"""From a mapping, as YAML gives it, to a Declaration, or to a list of what is wrong with it.

Needs no Spark: the control node runs it before anything is touched, the driver once more.
"""

import re
from collections.abc import Mapping

from kafka_metal_pipeline.declared_outputs import OUTPUT_KEYS, overlapping_archives, read_outputs
from kafka_metal_pipeline.declared_site import SITE_KEYS, read_site
from kafka_metal_pipeline.declared_source import read_source
from kafka_metal_pipeline.keys import DeclarationError, Problem, Section
from kafka_metal_pipeline.model import Declaration, Resources
from kafka_metal_pipeline.words import (
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

__all__ = ["DeclarationError", "Problem", "parse", "parse_all", "problems_of", "topics_of"]

KEYS = ("name", "source", "rules", "outputs", "invalid", "trigger", "resources")
RESOURCE_KEYS = ("cores", "executor_memory", "driver_memory")

# What gives each query that reads the same record another answer: the record could be accepted by
# one and invalid to the other, or neither.
UNSTEADY = re.compile(
    r"\b(?:now|curdate|rand|randn|random|uuid|monotonically_increasing_id)\s*\("
    r"|\b(?:current_date|current_time|current_timestamp|localtimestamp)\b"
    r"|\bunix_timestamp\s*\(\s*\)",
    re.IGNORECASE,
)
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`")


def parse(name: str, body: object) -> Declaration:
    """The pipeline ``name``. Raises DeclarationError with every mistake found."""
    problems: list[Problem] = []
    declaration = _read(name, body, problems)
    if problems or declaration is None:
        raise DeclarationError(problems)
    return declaration


def parse_all(pipelines: object) -> dict[str, Declaration]:
    """Pipelines by name. Raises DeclarationError with every mistake in all of them."""
    if not isinstance(pipelines, Mapping):
        raise DeclarationError([Problem("", "pipelines", repr(pipelines), "a mapping by name")])
    problems: list[Problem] = []
    found = [_read(str(name), body, problems) for name, body in pipelines.items()]
    declarations = {d.name: d for d in found if d is not None}
    problems += overlapping_archives(declarations)
    if problems:
        raise DeclarationError(problems)
    return declarations


def problems_of(pipelines: object) -> tuple[Problem, ...]:
    """What is wrong with pipelines by name; empty when they can run."""
    try:
        parse_all(pipelines)
    except DeclarationError as error:
        return error.problems
    return ()


def topics_of(declaration: Declaration) -> dict[str, list[str]]:
    """Topics a pipeline needs: ``reads`` and ``writes``, each sorted."""
    writes = {output.topic for output in declaration.outputs if output.topic}
    return {"reads": [declaration.source.topic], "writes": sorted(writes | {declaration.invalid})}


def _read(name: str, body: object, problems: list[Problem]) -> Declaration | None:
    """A declaration that is right when ``problems`` did not grow."""
    if not isinstance(body, Mapping):
        problems.append(Problem(name, "(the whole)", repr(body), "a mapping with a source"))
        return None
    top = Section(name, "", body, problems)
    # The short form: the keys of the one output stand at the top.
    short = {key: body[key] for key in OUTPUT_KEYS if key in body and key not in KEYS}
    top.only({*KEYS, *(() if "outputs" in body else OUTPUT_KEYS)}, silent=SITE_KEYS)
    if not re.fullmatch(NAME, name):
        top.wrong("name", name, ALLOWED_NAME)
    if body.get("name", name) != name:
        top.wrong("name", body["name"], name)
    trigger = top.text("trigger", ALLOWED_TRIGGER, TRIGGER) or "1 second"
    source = read_source(top.section("source", required=True))
    declaration = Declaration(
        name=name,
        source=source,
        rules=_read_rules(top.section("rules")),
        outputs=read_outputs(top, short, source, trigger),
        invalid=top.needed("invalid", ALLOWED_TOPIC, TOPIC),
        trigger=trigger,
        resources=_read_resources(top.section("resources")),
        site=read_site(top),
    )
    _check_topics(top, declaration)
    return declaration


def _read_rules(rules: Section) -> dict[str, str]:
    read = {}
    for rule in map(str, rules.values):
        predicate = rules.needed(rule, "a SQL predicate")
        if not re.fullmatch(NAME, rule):
            rules.wrong(rule, "this name", ALLOWED_NAME)
        if rule in REASONS:
            rules.wrong(rule, "this name", f"a name other than {', '.join(REASONS)}")
        if unsteady := UNSTEADY.search(QUOTED.sub("''", predicate)):
            rules.wrong(
                rule,
                unsteady[0],
                "what gives every query the same answer: _timestamp, the record's, for the time",
            )
        read[rule] = predicate
    return read


def _read_resources(resources: Section) -> Resources:
    resources.only(RESOURCE_KEYS)
    return Resources(
        cores=resources.whole("cores", high=10_000) or 1,
        executor_memory=resources.text("executor_memory", ALLOWED_MEMORY, MEMORY) or "1g",
        driver_memory=resources.text("driver_memory", ALLOWED_MEMORY, MEMORY) or "1g",
    )


def _check_topics(top: Section, declaration: Declaration) -> None:
    """A pipeline that reads what it writes would never end; invalid records have their own."""
    source, invalid = declaration.source.topic, declaration.invalid
    if not source or not invalid:
        return
    if invalid == source:
        top.wrong("invalid", invalid, f"a topic other than the source, {source}")
    for output in declaration.outputs:
        if output.topic and output.topic in (source, invalid):
            key = f"outputs.{output.name}.topic"
            top.wrong(key, output.topic, f"a topic other than {source} and {invalid}")
