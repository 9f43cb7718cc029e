"""Draw lines over time as inline SVG."""

import io
from collections.abc import Sequence
from datetime import UTC, datetime

import matplotlib as mpl
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from .prometheus_api import Line
from .units import format_value

SIZE = (5.6, 2.5)
# Maximum of names in the legend.
NAMED = 8
mpl.rcParams.update(
    {
        "svg.fonttype": "none",
        "svg.hashsalt": "kafka-metal",
        "font.size": 8,
        # Names may contain dollar signs, which would start a formula.
        "text.parse_math": False,
    }
)


def escape_xml(text: str) -> str:
    """Return ``text`` with characters escaped that XML forbids or that change text direction."""
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )


def svg(lines: Sequence[Line], unit: str) -> str:
    """Return the SVG; the legend names the first eight lines."""
    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.subplots()
    # Passed explicitly: matplotlib hides labels that start with an underscore.
    named: dict[Line2D, str] = {}
    for number, line in enumerate(lines):
        times = [datetime.fromtimestamp(each, UTC) for each in line.times]
        (drawn,) = axes.plot(times, line.values, linewidth=1)
        if number < NAMED:
            named[drawn] = escape_xml(line.name)
    axes.set_ylim(bottom=min(0.0, *(min(line.values, default=0.0) for line in lines), 0.0))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: format_value(value, unit)))
    locator = AutoDateLocator(maxticks=6)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    formatter = ConciseDateFormatter(locator)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_formatter(formatter)
    axes.grid(alpha=0.3)
    if any(named.values()):
        figure.legend(
            list(named),
            list(named.values()),
            loc="outside lower center",
            ncols=4,
            frameon=False,
            fontsize=7,
        )
    target = io.StringIO()
    figure.savefig(target, format="svg", metadata={"Date": None, "Creator": None})
    text = target.getvalue()
    return text[text.index("<svg") :]
