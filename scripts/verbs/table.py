"""What each verb runs: playbooks that answer alone, with values of make as variables.

Programs for a person at a terminal are here as well, as a run of Ansible reads no keyboard and
shows no progress: the log that is followed, files and topics that are sent, the question for the
name of a cluster, and the page of plots, which needs packages of its own. `plan` counts changes
for STRICT=1, which its playbook cannot.
"""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from verbs.codes import Code
from verbs.logs import logs
from verbs.run import ANSWER, ROOT, play, site, wait
from verbs.values import refuse, value, variables, yes

Verb = Callable[[], int]
Names = Mapping[str, str]
GROUPS = {"G": "group_name", "TO": "group_to", "T": "group_topic"}
DISKS = {"HOST": "disk_host", "DISK": "disk_name", "DEVICE": "disk_device", "FORCE": "disk_force"}
CHECK = ["--check"]


def loud(*playbooks: str, names: Names | None = None) -> Verb:
    """A verb that shows the output of Ansible."""
    return lambda: play(*playbooks, variables=variables(names or {}))


def answer(playbook: str, names: Names | None = None) -> Verb:
    """A verb that shows the screen of its playbook."""
    return lambda: play(playbook, variables=variables(names or {}), callback=ANSWER)


def groups() -> int:
    """Consumer groups; sets the offsets of one."""
    words = CHECK if yes("DRY") else []
    return play("groups", variables=variables(GROUPS), words=words, callback=ANSWER)


def plan() -> int:
    """What a run would change; with STRICT=1 the exit code tells changes from a run that failed."""
    strict = yes("STRICT")
    with tempfile.TemporaryDirectory(prefix="kafka-metal-") as folder:
        found = Path(folder, "plan.json")
        given = {"KAFKA_METAL_PLAN_FILE": str(found)}
        words = [*CHECK, "--diff"]
        if play("plan", words=words, callback="metal.kafka.plan", environment=given):
            print("plan: the run failed, see above", file=sys.stderr)
            return Code.PLAN_FAILED
        if not found.exists():
            # With --list-tasks and its like Ansible runs nothing.
            return Code.WELL
        changes = json.loads(found.read_text(encoding="utf-8"))["changes"]
    return Code.NOT_WELL if changes and strict else Code.WELL


def page() -> int:
    """The overview as one file, also if the platform does not answer."""
    hours, boards = value("HOURS"), value("BOARDS")
    state = site("internal_state", "internal_first_reachable", "internal_status", whole=False).state
    return wait(
        [sys.executable, "-m", "kafka_metal_dashboards.page",
         *([f"--hours={hours}"] if hours else []), *([f"--boards={boards}"] if boards else []),
         str(state / "state.json"), str(state / "report.html")]
    )  # fmt: skip


def _client(command: str, options: Mapping[str, str], *files: str) -> int:
    """Run a client with options that are given; ``options`` has values by option."""
    dry = ["--dry-run"] if yes("DRY") else []
    state = site("internal_client").state
    way = json.loads((state / "client.json").read_text(encoding="utf-8"))
    given = [f"--{option}={found}" for option, found in options.items() if found]
    if way["access"] and Path(way["access"]).exists():
        given.append(f"--client-config={way['access']}")
    bootstrap = ",".join(way["bootstrap"])
    # A word after it is a file, whatever it begins with.
    last = ["--", *files] if files else []
    return wait(["kafka-metal", command, f"--bootstrap={bootstrap}", *given, *dry, *last])


def produce() -> int:
    """Send a file."""
    if not (value("FILE") and value("TOPIC")):
        refuse("which file to which topic? make produce FILE=some.csv TOPIC=name")
    options = {"topic": value("TOPIC"), "key": value("KEY"), "null": value("NULL")}
    return _client("produce", options, value("FILE"))


def replay() -> int:
    """Send a part of a topic once more."""
    if not (value("SOURCE") and value("TARGET")):
        refuse('from where to where? make replay SOURCE=a TARGET=b FROM="2h ago"')
    names = {"source": "SOURCE", "target": "TARGET", "from": "FROM", "until": "UNTIL"}
    return _client("replay", {option: value(name) for option, name in names.items()})


def destroy() -> int:
    """Delete a cluster: list what is deleted, then ask for its name."""
    if yes("DRY"):
        return play("destroy", words=CHECK)
    name = value("CONFIRM")
    if not name and sys.stdin.isatty():
        if code := play("destroy", words=CHECK):
            return code
        try:
            name = input("All data listed above will be deleted. Name of the cluster: ")
        except (EOFError, KeyboardInterrupt):
            print()
            refuse("no name was given")
    return play("destroy", variables={"confirm_destroy": name})


def bench() -> int:
    """Measure; an existing cluster only where INVENTORY is on make's own command line."""
    given = value("INVENTORY") if "INVENTORY" in sys.argv[2:] else ""
    return play("benchmark", inventory=given or "inventories/benchmark")


VERBS: Mapping[str, Verb] = {
    "access": answer("access", {"U": "access_user"}),
    "bench": bench,
    "demo": loud("demo"),
    "destroy": destroy,
    **{
        f"disk-{step}": loud(f"disk_{step}", names=DISKS)
        for step in ("add", "drain", "remove", "replace", "reserve")
    },
    "down": loud("down"),
    "export": answer("export"),
    "groups": groups,
    "images": loud("internal_one_cluster", "host", "images"),
    "logs": logs,
    "plan": plan,
    "preflight": loud("preflight", "internal_statements"),
    "produce": produce,
    "reboot": loud("reboot"),
    "replay": replay,
    "replicas": answer("replicas", {"SECONDS": "kafka_broker_compare_seconds"}),
    "report": page,
    "rotate": loud("rotate", names={"WHAT": "rotate_what", "NAMES": "rotate_names"}),
    "restart": loud("restart", names={"S": "restart_services"}),
    "secure": loud("secure"),
    "status": answer("status"),
    "support": answer("support"),
    "up": loud("up"),
    "upgrade": loud("upgrade", names={"FINISH": "upgrade_finish"}),
    "verify": answer("verify"),
    "versions": answer("versions", {"SBOM": "versions_sbom"}),
    "zookeeper-trust": loud("zookeeper_trust"),
}


def main() -> int:
    """Run the verb that is named."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in VERBS:
        refuse(f"found verb {name!r}; allowed: {', '.join(VERBS)}")
    os.environ["PATH"] = f"{os.environ['PATH']}{os.pathsep}{ROOT / '.venv/bin'}"
    return VERBS[name]()
