"""Playbooks and variables of each verb.

Verbs for a terminal are here as well, because a run of Ansible reads no keyboard and shows no
progress: following a log, sending files and topics, confirming the name of a cluster, and the
page of plots, which needs additional packages. `plan` counts changes for STRICT=1, which its
playbook cannot.
"""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from verbs.codes import Code
from verbs.logs import logs
from verbs.run import ROOT, SCREEN, play, site, wait
from verbs.values import RefusedError, refuse, value, variables, yes

Verb = Callable[[], int]
Names = Mapping[str, str]
GROUPS = {"G": "group_name", "TO": "group_to", "T": "group_topic"}
DISKS = {"HOST": "disk_host", "DISK": "disk_name", "DEVICE": "disk_device", "FORCE": "disk_force"}
CHECK = ["--check"]


def with_output(*playbooks: str, names: Names | None = None) -> Verb:
    """Verb that prints the output of Ansible."""
    return lambda: play(*playbooks, variables=variables(names or {}))


def with_screen(playbook: str, names: Names | None = None) -> Verb:
    """Verb that prints the screen of its playbook."""
    return lambda: play(playbook, variables=variables(names or {}), callback=SCREEN)


def with_dry_run(playbook: str, names: Names | None = None, callback: str = SCREEN) -> Verb:
    """Verb that only prints what it would change with DRY=1."""

    def run() -> int:
        options = CHECK if yes("DRY") else []
        return play(playbook, variables=variables(names or {}), options=options, callback=callback)

    return run


def status() -> int:
    """Print the state of the platform; with JSON=1, as JSON."""
    wanted = {"status_json": True} if yes("JSON") else {}
    return play("status", variables=wanted, callback=SCREEN)


def plan() -> int:
    """Print what a run would change; with STRICT=1, exit with 2 if there are changes."""
    strict = yes("STRICT")
    with tempfile.TemporaryDirectory(prefix="kafka-metal-") as folder:
        found = Path(folder, "plan.json")
        environment = {"KAFKA_METAL_PLAN_FILE": str(found)}
        options = [*CHECK, "--diff"]
        if play("plan", options=options, callback="metal.kafka.plan", environment=environment):
            return Code.FAILED
        if not found.exists():
            # With options such as --list-tasks, Ansible runs no task.
            return Code.WELL
        changes = json.loads(found.read_text(encoding="utf-8"))["changes"]
    return Code.NOT_WELL if changes and strict else Code.WELL


def page() -> int:
    """Write the overview as one HTML file, even if the cluster does not respond."""
    hours, boards = value("HOURS"), value("BOARDS")
    state = site("internal_begin", "internal_first_reachable", "internal_status", whole=False).state
    return wait(
        [sys.executable, "-m", "kafka_metal_dashboards.page",
         *([f"--hours={hours}"] if hours else []), *([f"--boards={boards}"] if boards else []),
         str(state / "state.json"), str(state / "report.html")]
    )  # fmt: skip


def _operator_file(path: Path, purpose: str) -> str:
    """Return the path of one of the operator's files; refuse the run if it is missing."""
    if not path.exists():
        refuse(f"{path} is missing, {purpose}; write it with: make access U=operator")
    return str(path)


def _client(command: str, options: Mapping[str, str], *files: str, registry: bool = False) -> int:
    """Run a command of the client with the non-empty ``options``, which are values by option.

    ``registry``: with the operator's file of the schema registry.
    """
    dry = ["--dry-run"] if yes("DRY") else []
    state = site("internal_client").state
    client = json.loads((state / "client.json").read_text(encoding="utf-8"))
    arguments = [f"--{option}={found}" for option, found in options.items() if found]
    if access := client["access"]:
        purpose = "the operator's client file of this secured cluster"
        arguments.append(f"--client-config={_operator_file(Path(access), purpose)}")
    if registry:
        file = state / "schema_registry/operator/schema-registry.json"
        purpose = "the operator's file of the schema registry"
        arguments.append(f"--registry={_operator_file(file, purpose)}")
    bootstrap = ",".join(client["bootstrap"])
    # After "--", a file name may start with a dash.
    last = ["--", *files] if files else []
    return wait(["kafka-metal", command, f"--bootstrap={bootstrap}", *arguments, *dry, *last])


def produce() -> int:
    """Send a file."""
    if not (value("FILE") and value("TOPIC")):
        refuse("FILE or TOPIC is missing, for example: make produce FILE=some.csv TOPIC=name")
    names = {"topic": "TOPIC", "key": "KEY", "null": "NULL"}
    names |= {"rate": "RATE", "delimiter": "DELIMITER", "subject": "SUBJECT"}
    options = {option: value(name) for option, name in names.items()}
    return _client("produce", options, value("FILE"), registry=bool(options["subject"]))


def replay() -> int:
    """Copy a part of a topic to another topic."""
    if not (value("SOURCE") and value("TARGET")):
        refuse(
            'SOURCE or TARGET is missing, for example: make replay SOURCE=a TARGET=b FROM="2h ago"'
        )
    names = {"source": "SOURCE", "target": "TARGET", "from": "FROM", "until": "UNTIL"}
    names |= {"stamp": "STAMP", "rate": "RATE"}
    return _client("replay", {option: value(name) for option, name in names.items()})


def destroy() -> int:
    """List the data of a cluster, ask for its name, then delete it."""
    if yes("DRY"):
        return play("destroy", options=CHECK)
    name = value("CONFIRM")
    if not name and sys.stdin.isatty():
        if code := play("destroy", options=CHECK):
            return code
        try:
            name = input(
                "All data listed above will be deleted. To confirm, type the cluster's name: "
            )
        except (EOFError, KeyboardInterrupt):
            print()
            refuse("found no name")
    return play("destroy", variables={"confirm_destroy": name})


def bench() -> int:
    """Run the benchmark; on an existing cluster only if INVENTORY is on make's command line."""
    inventory = value("INVENTORY") if "INVENTORY" in sys.argv[2:] else ""
    return play("benchmark", inventory=inventory or "inventories/benchmark")


VERBS: Mapping[str, Verb] = {
    "access": with_screen("access", {"U": "access_user"}),
    "bench": bench,
    "demo": with_output("demo"),
    "destroy": destroy,
    **{
        f"disk-{step}": with_output(f"disk_{step}", names=DISKS)
        for step in ("add", "drain", "remove", "replace", "reserve")
    },
    "down": with_output("down"),
    "export": with_screen("export"),
    "groups": with_dry_run("groups", GROUPS),
    "images": with_output("internal_begin", "host", "images"),
    "logs": logs,
    # Drivers start for seconds, in which progress is printed.
    "pipelines": with_dry_run("pipelines", {"P": "pipelines_name"}, callback=""),
    "plan": plan,
    "preflight": with_output("preflight", "internal_statements"),
    "produce": produce,
    "reboot": with_output("reboot"),
    "replay": replay,
    "replicas": with_screen("replicas", {"SECONDS": "kafka_broker_compare_seconds"}),
    "report": page,
    "rotate": with_output("rotate", names={"WHAT": "rotate_what", "NAMES": "rotate_names"}),
    "restart": with_output("restart", names={"S": "restart_services"}),
    "schemas-backup": with_screen("schemas_backup", {"FILE": "schemas_file"}),
    "schemas-restore": with_dry_run("schemas_restore", {"FILE": "schemas_file"}),
    "secure": with_output("secure"),
    "status": status,
    "support": with_screen("support"),
    "topics": with_dry_run("topics"),
    "up": with_output("up"),
    "upgrade": with_output("upgrade", names={"FINISH": "upgrade_finish"}),
    "verify": with_screen("verify"),
    "versions": with_screen("versions", {"SBOM": "versions_sbom"}),
    "zookeeper-trust": with_output("zookeeper_trust"),
}


def main() -> int:
    """Run the verb that is named on the command line."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    os.environ["PATH"] = f"{os.environ['PATH']}{os.pathsep}{ROOT / '.venv/bin'}"
    try:
        if name not in VERBS:
            refuse(f"found verb {name!r}; allowed: {', '.join(VERBS)}")
        # Names of make's variables, for `bench`.
        if more := [each for each in sys.argv[2:] if not (name == "bench" and each == "INVENTORY")]:
            refuse(f"found {' '.join(more)!r} after {name}; allowed: values as make variables")
        return VERBS[name]()
    except RefusedError as refused:
        print(refused, file=sys.stderr)
        # 2 of `plan` means changes.
        return Code.FAILED if name == "plan" else Code.NOT_WELL
