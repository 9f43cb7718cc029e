"""Lines over time as SVG that stands inside a page."""

import io
from collections.abc import Sequence
from datetime import UTC, datetime

import matplotlib as mpl
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from .asking import Line
from .units import shown

SIZE = (5.6, 2.5)
# More names than this say nothing.
NAMED = 8
mpl.rcParams.update(
    {
        "svg.fonttype": "none",
        "svg.hashsalt": "kafka-metal",
        "font.size": 8,
        # Names are names: a dollar sign begins no formula.
        "text.parse_math": False,
    }
)


def visible(text: str) -> str:
    """``text`` without characters that no XML has, or that turn the direction of others."""
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )


def svg(lines: Sequence[Line], unit: str) -> str:
    """The picture; all lines are drawn, the first eight are named."""
    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.subplots()
    # Handed over by hand: a label that begins with an underscore is hidden otherwise.
    named: dict[Line2D, str] = {}
    for number, line in enumerate(lines):
        moments = [datetime.fromtimestamp(each, UTC) for each in line.moments]
        (drawn,) = axes.plot(moments, line.values, linewidth=1)
        if number < NAMED:
            named[drawn] = visible(line.name)
    axes.set_ylim(bottom=min(0.0, *(min(line.values, default=0.0) for line in lines), 0.0))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: shown(value, unit)))
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
