"""Topics and other needs of a pipeline, extracted from a declaration before it is validated."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kafka_metal_declarations.declared_site import SITE_KEYS
from kafka_metal_declarations.declared_source import REGISTERED
from kafka_metal_declarations.keys import Section
from kafka_metal_declarations.model import TRANSACTIONAL
from kafka_metal_declarations.templates import expand_template

# A key of the declaration and the topic that it names.
Named = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Needs:
    """Topics with the keys that name them.

    ``marks``: batches are marked in a topic. ``registry``: it reads schemas from the site's
    registry.
    """

    reads: tuple[Named, ...] = ()
    writes: tuple[Named, ...] = ()
    marks: bool = False
    registry: bool = False

    @property
    def topics(self) -> tuple[Named, ...]:
        """Topics that the pipeline reads or writes."""
        return self.reads + self.writes


def read_needs(body: object) -> Needs:
    """Return the needs of a declaration; none if it is malformed, which validation reports."""
    if not isinstance(body, Mapping):
        return Needs()
    full = expand_template(Section("", "", body, []), SITE_KEYS)
    outputs = dict(_outputs(full))
    writes = (
        *((f"{where}topic", each["topic"]) for where, each in outputs.items() if each.get("topic")),
        *((("invalid", full["invalid"]),) if full.get("invalid") else ()),
    )
    return Needs(
        reads=tuple(_valid_topics(_sources(full.get("source")))),
        writes=tuple(_valid_topics(writes)),
        marks=any(each.get("delivery") == TRANSACTIONAL for each in outputs.values()),
        registry=_uses_registry(full.get("source")),
    )


def _uses_registry(source: object) -> bool:
    """Whether a source has schemas from a registry, and names none."""
    if not isinstance(source, Mapping) or source.get("format") not in REGISTERED:
        return False
    registry = source.get("registry")
    own = registry if isinstance(registry, Mapping) else {}
    return not own.get("url") and not own.get("urls")


def _outputs(full: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield outputs with their key prefix; the top level is the output of the short form."""
    yield "", full
    found = full.get("outputs")
    for name, output in found.items() if isinstance(found, Mapping) else ():
        if isinstance(output, Mapping):
            yield f"outputs.{name}.", output


def _sources(source: object) -> Iterator[Named]:
    """Yield the topics read from the cluster; none if the source is an archive."""
    if not isinstance(source, Mapping) or source.get("path"):
        return
    if source.get("topic"):
        yield "source.topic", source["topic"]
    several = source.get("topics")
    for place, topic in enumerate(several if isinstance(several, list) else []):
        yield f"source.topics[{place}]", topic


def _valid_topics(named: Iterable[Named]) -> Iterator[Named]:
    """Return the pairs whose topic is a text."""
    return (each for each in named if isinstance(each[1], str))
