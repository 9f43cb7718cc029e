"""Every screen names a fault in time, and no longer after it: a table of seconds."""

import json
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from testing import playbooks
from testing.cluster import Cluster
from testing.planted_faults import FAULTS, Fault
from testing.prometheus import Prometheus
from testing.rolls import preferred_lead
from testing.waiting import NotYet, wait_for

# Seconds until status and page name a fault that they read themselves, until a person is paged,
# and until each screen is well again after the fault.
READ_S, PAGE_S, END_S = 15, 90, 60
# A run of status takes this long on a busy machine; the goal does not count it.
RUN_S = 30
RESULTS = Path(__file__).resolve().parents[3] / ".cache/results/screens.json"
READ_PAGE = """
import urllib.request
print(urllib.request.urlopen("http://127.0.0.1:9309/problems.json", timeout=5).read().decode())
"""


@dataclass
class Screen:
    """What a screen lists: problems as (kind, where), read again and again."""

    read: Callable[[], set[tuple[str, str]]]
    seen: set[tuple[str, str]] = field(default_factory=set)

    def follow(self, ended: threading.Event) -> None:
        """Read until ``ended``; a screen that does not respond keeps its last list."""
        while not ended.is_set():
            with suppress(OSError, ValueError, AssertionError, subprocess.SubprocessError):
                self.seen = self.read()
            ended.wait(1)

    def names(self, fault: Fault) -> bool:
        """Whether the screen names the fault."""
        return any(kind == fault.kind and fault.where in ("", where) for kind, where in self.seen)


def of_status() -> set[tuple[str, str]]:
    """Return the problems of `make status`, from its file."""
    playbooks.run("status", check=False, seconds=120)
    return listed(json.loads(Path(playbooks.state("metal"), "state.json").read_text()))


def of_page(cluster: Cluster, machine: str) -> set[tuple[str, str]]:
    """Return the problems of the cluster's page."""
    text = cluster.shell(machine).check_output("python3 -c %s", READ_PAGE)
    return listed(json.loads(text))


def listed(found: dict) -> set[tuple[str, str]]:
    return {(each["kind"], each["where"]) for each in found["problems"] if each["urgent"]}


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


@pytest.fixture(scope="module")
def rows() -> Iterator[dict[str, dict[str, float]]]:
    """Seconds by fault; written to a file at the end, for the table in the documentation."""
    found: dict[str, dict[str, float]] = {}
    yield found
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps(found, indent=2))


@pytest.mark.parametrize("name", FAULTS)
def test_every_screen_names_a_fault_and_its_end(
    name: str, cluster: Cluster, prometheus: Prometheus, rows: dict[str, dict[str, float]]
):
    fault = FAULTS[name]
    screens = {
        "status": Screen(of_status),
        "page": Screen(lambda: of_page(cluster, prometheus.machine)),
        "alert": Screen(lambda: {("", each) for each in prometheus.firing()}),
    }
    prometheus.wait_for_targets(seconds=120)
    prometheus.wait_until_over(fault.alert, seconds=120)
    preferred_lead(cluster)
    row: dict[str, float] = {}
    rows[name] = row
    named = {
        "status": screens["status"].names,
        "page": screens["page"].names,
        "alert": lambda _: ("", fault.alert) in screens["alert"].seen,
    }
    with followed(*screens.values()):
        with fault.inject(cluster):
            since(row, named, fault, wanted=True, seconds=fault.within + RUN_S)
        since(row, named, fault, wanted=False, seconds=300)
    print(f"{name}: {row}")
    limits = {"status": READ_S + RUN_S, "page": PAGE_S, "alert": PAGE_S}
    assert {each: row[each] for each in limits if row[each] > limits[each]} == {}
    late = {each: row[f"{each} ends"] for each in limits if row[f"{each} ends"] > END_S + RUN_S}
    assert late == {}


def since(
    row: dict[str, float],
    named: dict[str, Callable[[Fault], bool]],
    fault: Fault,
    *,
    wanted: bool,
    seconds: float,
) -> None:
    """Note after how many seconds each screen names the fault, or no longer does."""
    began, suffix = time.monotonic(), "" if wanted else " ends"

    def noted() -> None:
        for name, names in named.items():
            if f"{name}{suffix}" not in row and names(fault) is wanted:
                row[f"{name}{suffix}"] = round(time.monotonic() - began)
        if missing := [name for name in named if f"{name}{suffix}" not in row]:
            raise NotYet(f"screens: {missing}")

    wait_for(f"every screen names it: {wanted}", noted, seconds)
