"""What status, the cluster's page and alerts show of a fault, and after how many seconds."""

import json
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from testing import playbooks
from testing.cluster import Cluster
from testing.planted_faults import Fault
from testing.prometheus import Prometheus
from testing.waiting import NotYet, wait_for

# Seconds until status and page name a fault that they read themselves, until a person is paged,
# and until each screen is well again after the fault.
READ_S, PAGE_S, END_S = 15, 90, 60
# A run of status takes this long on a busy machine; the goal does not count it.
RUN_S = 30
# Seconds until every screen is well again at the latest; longer ones are not measured.
OVER_S = 420
# Every fault that a drill has planted, for the table in the documentation.
RESULTS = Path(__file__).resolve().parents[3] / "docs/operate/planted-faults.json"
STATUS, PAGE, ALERT = "status", "page", "alert"
READ_PAGE = """
import sys, urllib.request
print(urllib.request.urlopen(f"http://{sys.argv[1]}/problems.json", timeout=5).read().decode())
"""

Seen = Mapping[tuple[str, str], str]


@dataclass
class Screen:
    """What a screen lists: texts of problems by (kind, where), read again and again."""

    read: Callable[[], Seen]
    seen: Seen = field(default_factory=dict)
    failure: Exception | None = None

    def follow(self, ended: threading.Event) -> None:
        """Read until ``ended``; a screen that does not respond keeps its last list."""
        while not ended.is_set():
            try:
                self.seen = self.read()
            except (OSError, ValueError, AssertionError, subprocess.SubprocessError):
                pass
            except Exception as failure:
                self.failure = failure
                return
            ended.wait(1)


def status_problems(cluster: str) -> Seen:
    """Return the problems of `make status`, from its file."""
    playbooks.run("status", check=False, seconds=120)
    return listed(json.loads(Path(playbooks.state(cluster), "state.json").read_text()))


def page_problems(cluster: Cluster, machine: str, endpoint: str) -> Seen:
    """Return the problems of the cluster's page."""
    text = cluster.shell(machine).check_output("python3 -c %s %s", READ_PAGE, endpoint)
    return listed(json.loads(text))


def firing_alert(prometheus: Prometheus, alert: str) -> Seen:
    """Return the alert if it fires."""
    return {("", alert): ""} if alert in prometheus.firing() else {}


def listed(found: Mapping[str, Any]) -> Seen:
    """Return the problems of each place, also of those that are reported as one."""
    every = [one for each in found["problems"] for one in each["same"] or [each]]
    return {(each["kind"], each["where"]): each["text"] for each in every}


@contextmanager
def followed(*screens: Screen) -> Iterator[None]:
    """Read the screens in threads."""
    ended = threading.Event()
    threads = [threading.Thread(target=each.follow, args=(ended,)) for each in screens]
    for each in threads:
        each.start()
    try:
        yield
    finally:
        ended.set()
        for each in threads:
            each.join()
    for each in screens:
        if each.failure:
            raise each.failure


def measure(fault: Fault, cluster: Cluster, prometheus: Prometheus, page: str) -> dict[str, Any]:
    """Plant a fault; return seconds by screen until it is named, and until it no longer is.

    ``page`` is the endpoint of the cluster's page on the machine of Prometheus.
    """
    every = {
        STATUS: Screen(lambda: status_problems(cluster.topology.cluster)),
        PAGE: Screen(lambda: page_problems(cluster, prometheus.machine, page)),
        ALERT: Screen(lambda: firing_alert(prometheus, fault.alert)),
    }
    screens = {name: each for name, each in every.items() if name in fault.screens}
    row: dict[str, Any] = {
        "kind": fault.kind, "where": fault.where, "alert": fault.alert, "pages": fault.page,
        "shown": {}, "over": {}, "text": "",
    }  # fmt: skip
    with followed(*screens.values()):
        with fault.inject(cluster):
            _wait(row["shown"], screens, fault, wanted=True, seconds=fault.within + RUN_S)
            row["text"] = next(filter(None, map(fault.text_in, _lists(screens))), "")
        ends = max(OVER_S, fault.over + RUN_S)
        _wait(row["over"], screens, fault, wanted=False, seconds=ends)
    return row


def _lists(screens: Mapping[str, Screen]) -> Iterator[Seen]:
    yield from (each.seen for each in screens.values())


def _wait(
    seconds_of: dict[str, int],
    screens: Mapping[str, Screen],
    fault: Fault,
    *,
    wanted: bool,
    seconds: float,
) -> None:
    """Save after how many seconds each screen names the fault, or no longer does."""
    began = time.monotonic()

    def save() -> None:
        for name, each in screens.items():
            if name not in seconds_of and (fault.text_in(each.seen) is not None) is wanted:
                seconds_of[name] = round(time.monotonic() - began)
        if missing := [name for name in screens if name not in seconds_of]:
            found = {name: sorted(screens[name].seen) for name in missing}
            raise NotYet(f"screens that {'lack' if wanted else 'list'} it: {found}")

    wait_for(f"every screen names it: {wanted}", save, seconds)


def late(row: Mapping[str, Any], fault: Fault) -> dict[str, int]:
    """Return the screens that were too late, with their seconds."""
    pages_first = fault.page and not fault.paged_by
    limits = {STATUS: READ_S + RUN_S, PAGE: PAGE_S, ALERT: PAGE_S if pages_first else fault.within}
    shown = {name: took for name, took in row["shown"].items() if took > limits[name]}
    over = {f"{name} is over": took for name, took in row["over"].items() if took > fault.over}
    return shown | over


def save(platform: str, name: str, row: Mapping[str, Any]) -> None:
    """Write a row of the table in the documentation."""
    rows = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    rows.setdefault(platform, {})[name] = row
    text = json.dumps({each: dict(sorted(rows[each].items())) for each in sorted(rows)}, indent=1)
    RESULTS.write_text(f"{text}\n")
