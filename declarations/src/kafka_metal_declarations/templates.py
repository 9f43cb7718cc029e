"""Pipelines that need few words: ``use: archive``, ``copy``, ``replay`` or ``validate``.

A template is a function from the few words to a declaration in many, which is then read like any
other: nothing else knows that there are templates.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kafka_metal_declarations.keys import Section
from kafka_metal_declarations.model import AVAILABLE_NOW

# Keys of a declaration that a template passes on as they are.
COMMON = ("name", "trigger", "resources")
READING = ("topic", "topics", "starting", "ending", "max_per_trigger", "on_data_loss")
EVERYTHING = "SELECT * FROM events"

Body = dict[str, Any]


def archive(words: Section) -> Body:
    """Topics as they are to Parquet, a folder for each topic and day."""
    output = {
        "sql": "SELECT *, _topic AS topic FROM events",
        "path": words.values.get("path"),
        "partition_by": ["topic", "date"],
    }
    source = {"format": "bytes", **_given(words.values, *READING)}
    return {"source": source, "outputs": {"archive": output}}


def copy(words: Section) -> Body:
    """A topic to another one, with headers that say who wrote it, where, when and as what."""
    metadata = {"metadata": {}, **_given(words.values, "metadata")}
    return {"source": _records(words), "outputs": {"copy": _to(words) | metadata}}


def replay(words: Section) -> Body:
    """What an archive or a range of offsets holds to a topic, once."""
    body = {"source": _records(words), "outputs": {"replay": _to(words)}}
    return {"trigger": AVAILABLE_NOW, **body}


def validate(words: Section) -> Body:
    """A topic against a schema: what does not fit goes to ``invalid``, nothing else is written."""
    return {
        "trigger": AVAILABLE_NOW,
        "outputs": {},
        **_given(words.values, "source", "rules", "invalid"),
    }


# The keys of each template, and what it makes of them.
TEMPLATES: dict[str, tuple[tuple[str, ...], Callable[[Section], Body]]] = {
    "archive": ((*READING, "path"), archive),
    "copy": (("from", "to", "where", "delivery", "metadata"), copy),
    "replay": (("from", "to", "where", "delivery"), replay),
    "validate": (("source", "rules", "invalid"), validate),
}


def expanded(top: Section, site: Iterable[str]) -> Mapping[str, Any]:
    """The declaration in many words; the body itself when it uses no template.

    ``site`` are keys of the deployment. Mistakes go into the section's problems.
    """
    if top.values.get("use") is None:
        return top.values
    used = top.choice("use", TEMPLATES, "")
    if not used:
        return {}
    keys, template = TEMPLATES[used]
    top.only(("use", *keys, *COMMON), silent=site)
    return {**template(top), **_given(top.values, *COMMON, *site)}


def _records(words: Section) -> Body:
    source = words.section("from", required=True)
    source.only((*READING, "path"))
    return {"format": "bytes", **source.values}


def _to(words: Section) -> Body:
    condition = words.text("where", "a SQL predicate over the records' columns")
    sql = f"{EVERYTHING} WHERE {condition}" if condition else EVERYTHING
    return {"sql": sql, "topic": words.values.get("to"), **_given(words.values, "delivery")}


def _given(values: Mapping[str, Any], *keys: str) -> Body:
    return {key: values[key] for key in keys if key in values}
