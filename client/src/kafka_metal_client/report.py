"""The final report of ``make up``: services, reconciled counts, latency, next commands."""

from kafka_metal_client import screens
from kafka_metal_client.state import NOTE, State, is_well, problems
from kafka_metal_client.tables import BOLD, GREEN, RED, Cell, Paint, number, table

NEXT_WHEN_WELL = (
    ("make status", "the whole platform on one screen"),
    ("make produce FILE=data.csv TOPIC=name", "send a file of your own"),
    ("make demo", "send another 100,000 payments and count them again"),
)

# A median latency in ms that the report explains.
SLOW_MS = 10_000

TOPICS = {
    "frauds": "fraudulent_payments",
    "invalid": "payments_invalid",
    "metrics": "payment_metrics",
}


def render(state: State, paint: Paint, unchanged: bool = False) -> tuple[str, list[str]]:
    """Return the report's text and the list of problems, without firing alerts.

    An alert may be about work of the run that has just ended, and fires a minute longer.
    If the run was ``unchanged``, and there is no problem, services are only counted.
    """
    read = [each for each in state.get("problems") or () if each["read"]]
    found = problems({"problems": read})
    demo = state.get("demo")
    lines = [paint(f"Cluster {state.get('cluster', '')}", BOLD), *screens.cluster(state, paint)]
    bootstrap, access = state.get("bootstrap"), state.get("access")
    if bootstrap:
        lines.append(f"bootstrap {bootstrap}")
    if unchanged and not problems(state) and demo is None:
        if any(each["severity"] != NOTE for each in state.get("problems") or ()):
            # Tickets, which `make status` lists too.
            lines += _problems(state, demo, paint)
        else:
            count = len(state.get("services", ()))
            well = paint("All is well", GREEN)
            lines.append(f"{well}: {count} services, listed by `make status`.")
        return "\n".join(lines), found
    if access and bootstrap:
        first = str(bootstrap).partition(",")[0]
        lines.append(f"access    kcat -F {access} -b {first} -L")
    lines += ["", *screens.services_by_kind(state, paint)]
    if demo is not None:
        found += demo.get("differences", ())
        lines += ["", *counts(demo, paint)]
    lines += ["", *_problems(state, demo, paint)]
    lines += ["", *_next(state, bool(found), paint)]
    return "\n".join(lines) + "\n", found


def counts(demo: State, paint: Paint) -> list[str]:
    """Return the table of a run (expected, found, missing, repeated) and the latency."""
    outcome = ("counts reconcile", GREEN) if demo["reconciled"] else ("DIFFERENCES", RED)
    topics = TOPICS | demo.get("topics", {})
    rows = [
        _count("archive", demo["accepted"], paint),
        _count(topics["invalid"], demo["invalid"], paint),
        _count(topics["frauds"], demo["frauds"], paint),
        _metrics(topics["metrics"], demo["metrics"]),
    ]
    lines = [
        f"Run {demo['run']}: {demo['sent']:,} payments sent, {demo['acknowledged']:,} "
        f"acknowledged, {demo['failed']:,} failed; {paint(*outcome)}",
        *table(("output", "expected", "found", "missing", "repeated"), rows, paint),
        f"sent {demo['acknowledged']:,} = accepted {demo['accepted']['found']:,} "
        f"+ invalid {demo['invalid']['found']:,}",
    ]
    latency = demo["latency_ms"]
    if latency.get("records"):
        lines.append(
            f"latency from {demo.get('topic', 'payments')} to {topics['frauds']}: "
            f"p50 {latency['p50']:,} ms, p99 {latency['p99']:,} ms, longest {latency['max']:,} ms"
        )
        if latency["p50"] > SLOW_MS:
            lines.append(
                "most records waited: the pipeline had just started, or reads slower than the "
                "demonstration sends; `make demo` measures again"
            )
    return lines + [f"note: {note}" for note in demo.get("notes", ())]


def _count(name: str, part: State, paint: Paint) -> list[Cell]:
    missing = number(part["missing"])
    return [
        name,
        number(part["expected"]),
        number(part["found"]),
        (missing, RED) if part["missing"] else missing,
        number(part["repeated"]),
    ]


def _metrics(name: str, part: State) -> list[Cell]:
    return [
        f"{name} ({part['windows']:,} windows)",
        number(part["archived"]),
        number(part["counted"]),
        number(part["archived"] - part["counted"]),
        "",
    ]


def _problems(state: State, demo: State | None, paint: Paint) -> list[str]:
    """Return the problems of the platform, or the differences of the run if there are no others."""
    differences = list(demo.get("differences", ())) if demo else []
    if problems(state) or not differences:
        return [*screens.problems(state, paint), *(f"  {text}" for text in differences)]
    return [paint("Problems:", RED), *(f"  {text}" for text in differences)]


def _next(state: State, troubled: bool, paint: Paint) -> list[str]:
    commands = [(item["command"], item["purpose"]) for item in state.get("next", ())]
    if not commands:
        commands = list(_next_in_trouble(state) if troubled else NEXT_WHEN_WELL)
    width = max(len(command) for command, _ in commands)
    lines = [f"  {command.ljust(width)}  {purpose}" for command, purpose in commands[:3]]
    return [paint("Next:", BOLD), *lines]


def _next_in_trouble(state: State) -> list[tuple[str, str]]:
    services = state.get("services", ())
    # Names with a machine are no names of containers.
    bad = next(
        (item["name"] for item in services if not is_well(item) and "@" not in item["name"]),
        "kafka1",
    )
    return [
        ("make status", "what is wrong now"),
        (f"make logs S={bad}", "the log of the service"),
        ("make up", "bring the platform into the declared state again"),
    ]
