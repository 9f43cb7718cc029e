"""Short declarations: ``use: archive``, ``copy``, ``replay`` or ``validate``.

A template is a function from a short to a full declaration, which is then parsed like any other.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kafka_metal_declarations.keys import Section
from kafka_metal_declarations.model import AVAILABLE_NOW

# Keys that every template passes on unchanged.
COMMON = ("name", "trigger", "resources")
READING = ("topic", "topics", "starting", "ending", "max_per_trigger", "on_data_loss")
EVERYTHING = "SELECT * FROM events"

Body = dict[str, Any]


def archive(short: Section) -> Body:
    """Archive of unparsed topics in Parquet, one folder per topic and day."""
    output = {
        "sql": "SELECT *, _topic AS topic FROM events",
        "path": short.values.get("path"),
        "partition_by": ["topic", "date"],
    }
    source = {"format": "bytes", **_present(short.values, *READING)}
    return {"source": source, "outputs": {"archive": output}}


def copy(short: Section) -> Body:
    """Copy of a topic to another, with headers about producer, host, time and schema."""
    metadata = {"metadata": {}, **_present(short.values, "metadata")}
    return {"source": _records(short), "outputs": {"copy": _to(short) | metadata}}


def replay(short: Section) -> Body:
    """Copy of an archive or a range of offsets to a topic, then the pipeline stops."""
    body = {"source": _records(short), "outputs": {"replay": _to(short)}}
    return {"trigger": AVAILABLE_NOW, **body}


def validate(short: Section) -> Body:
    """Validation of a topic against a schema; only ``invalid`` is written."""
    return {
        "trigger": AVAILABLE_NOW,
        "outputs": {},
        **_present(short.values, "source", "rules", "invalid"),
    }


# Allowed keys and function of each template.
TEMPLATES: dict[str, tuple[tuple[str, ...], Callable[[Section], Body]]] = {
    "archive": ((*READING, "path"), archive),
    "copy": (("from", "to", "where", "delivery", "metadata"), copy),
    "replay": (("from", "to", "where", "delivery"), replay),
    "validate": (("source", "rules", "invalid"), validate),
}


def expand_template(top: Section, site: Iterable[str]) -> Mapping[str, Any]:
    """Return the full declaration; the body itself if it uses no template.

    ``site`` are the deployment's keys. Mistakes are added to the section's problems.
    """
    if top.values.get("use") is None:
        return top.values
    used = top.choice("use", TEMPLATES, "")
    if not used:
        return {}
    keys, template = TEMPLATES[used]
    top.only(("use", *keys, *COMMON), silent=site)
    return {**template(top), **_present(top.values, *COMMON, *site)}


def _records(short: Section) -> Body:
    source = short.section("from", required=True)
    source.only((*READING, "path"))
    return {"format": "bytes", **source.values}


def _to(short: Section) -> Body:
    condition = short.text("where", "a SQL predicate over the records' columns")
    sql = f"{EVERYTHING} WHERE {condition}" if condition else EVERYTHING
    return {"sql": sql, "topic": short.values.get("to"), **_present(short.values, "delivery")}


def _present(values: Mapping[str, Any], *keys: str) -> Body:
    return {key: values[key] for key in keys if key in values}
