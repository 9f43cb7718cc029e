"""Write the files of a report."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, List

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from ..results import load
from . import phrases, plots, view


def context(data: Dict[str, Any], drawn: List[str]) -> Dict[str, Any]:
    """Return the variables of the templates."""
    variants = view.measured_variants(data)
    return {
        "commands": data["commands"],
        "settings": data["settings"],
        "machine": data.get("machine") or {},
        "software": data.get("software") or {},
        "limits": data.get("limits") or {},
        "variants": variants,
        "tables": [(each, view.throughput(data, each["id"])) for each in variants],
        "latency": view.latency(data),
        "side_by_side": view.side_by_side(data),
        "costs": view.costs(data),
        "knobs": view.knobs(data),
        "growth": view.growth_lines(data),
        "plots": drawn,
        "when": view.measured_days(data),
        "steal": view.share(data, "cpu_steal"),
        "others": view.share(data, "background_busy"),
        "disturbed": view.was_disturbed(data),
        "phrases": phrases,
    }


def write_report(results: Path, output: Path) -> List[Path]:
    """Write README.md, report.html and the plots to ``output``; return their paths."""
    data = load(results)
    output.mkdir(parents=True, exist_ok=True)
    drawn = plots.draw(data, output)
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=select_autoescape(["html.j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    variables = context(data, drawn)
    variables["svg"] = {name: (output / name).read_text(encoding="utf-8") for name in drawn}
    written = []
    for name in ("README.md", "report.html"):
        path = output / name
        path.write_text(environment.get_template(f"{name}.j2").render(variables), encoding="utf-8")
        written.append(path)
    return [*written, *(output / name for name in drawn)]
