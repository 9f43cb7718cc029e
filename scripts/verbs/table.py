"""What each verb runs and shows."""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from verbs.logs import logs
from verbs.run import ROOT, Run, wait
from verbs.values import number, refuse, value, variables, yes

Verb = Callable[[Run], int]
GROUPS = {"G": "group_name", "TO": "group_to", "T": "group_topic"}
# How Ansible ends where hosts were unreachable: a text of the others is not the whole answer.
UNREACHABLE = 4
DISKS = {"HOST": "disk_host", "DISK": "disk_name", "DEVICE": "disk_device", "FORCE": "disk_force"}


def loud(*playbooks: str, names: Mapping[str, str] | None = None, **switches: str) -> Verb:
    """A verb that shows Ansible's own output."""

    def verb(run: Run) -> int:
        given = variables(names or {})
        given |= {to: True for name, to in switches.items() if yes(name)}
        return run.play(*playbooks, variables=given)

    return verb


def answer(playbook: str, names: Mapping[str, str] | None = None) -> Verb:
    """A verb that shows the text a playbook has written; the exit code is the playbook's."""

    return lambda run: _answered(run, playbook, variables(names or {}))


def _answered(run: Run, playbook: str, given: Mapping[str, object]) -> int:
    code = run.play(playbook, variables=given, quiet=True)
    found = run.file(f"{playbook}.txt")
    if found:
        sys.stdout.write(found.read_text(encoding="utf-8"))
        if code == UNREACHABLE:
            log = run.state / f"{run.verb}.log"
            print(f"make: some machines did not answer, see {log}", file=sys.stderr)
    else:
        run.said()
    return code


def report(*playbooks: str) -> Verb:
    """A verb that ends with the report of what runs."""

    def verb(run: Run) -> int:
        code = run.play(*playbooks)
        if code:
            return code
        if not run.file("state.json"):
            print("make: with --limit not all services were asked: make status asks them")
            return 0
        demo = run.state / "demo.json"
        return wait(
            ["kafka-metal", "report", f"--state={run.state / 'state.json'}",
             f"--steps={run.state / 'steps.json'}", *([f"--demo={demo}"] if demo.exists() else [])]
        )  # fmt: skip

    return verb


def status(run: Run) -> int:
    """The screen of what runs."""
    run.quietly("status")
    return wait(["kafka-metal", "status", f"--state={run.state / 'state.json'}"])


def page(run: Run) -> int:
    """The overview as one file, also if the platform does not answer."""
    hours, boards = value("HOURS"), value("BOARDS")
    run.play("status", quiet=True)
    return wait(
        [sys.executable, "-m", "kafka_metal_dashboards.page",
         *([f"--hours={hours}"] if hours else []), *([f"--boards={boards}"] if boards else []),
         str(run.state / "state.json"), str(run.state / "report.html")]
    )  # fmt: skip


def plan(run: Run) -> int:
    """What a run would change: 0, with STRICT=1 and changes 2, and 1 when the run itself fails."""
    found = run.folder / "plan.json"
    os.environ |= {
        "ANSIBLE_STDOUT_CALLBACK": "metal.kafka.plan",
        "KAFKA_METAL_PLAN_FILE": str(found),
    }
    if run.play("plan", words=["--check", "--diff"]):
        print("plan: the run failed, see above", file=sys.stderr)
        return 1
    changes = json.loads(found.read_text(encoding="utf-8"))["changes"]
    return 2 if changes and yes("STRICT") else 0


def support(run: Run) -> int:
    """One archive, with its size."""
    run.quietly("support")
    archive = run.state / "support.tar.gz"
    print(f"{archive.stat().st_size / 1024:.0f} KiB {archive}")
    return 0


def groups(run: Run) -> int:
    """Consumer groups; sets the offsets of one."""
    run.quietly("groups", variables=variables(GROUPS), words=["--check"] if yes("DRY") else [])
    return wait(["kafka-metal", "groups", f"--state={run.state / 'groups.json'}"])


def export(run: Run) -> int:
    """The content of the cluster as declarations."""
    run.quietly("export")
    sys.stdout.write((run.state / "content.yml").read_text(encoding="utf-8"))
    return 0


def access(run: Run) -> int:
    """Files with which a user authenticates."""
    if not value("U"):
        refuse("whose files? make access U=name")
    return answer("access", {"U": "access_user"})(run)


def replicas(run: Run) -> int:
    """Whether replicas hold the same."""
    given = {"kafka_broker_compare_seconds": number("SECONDS")} if value("SECONDS") else {}
    return _answered(run, "replicas", given)


def _client(run: Run, command: str, options: Mapping[str, str], *files: str) -> int:
    """Run a client with options that are given; ``options`` has values by option."""
    run.quietly("internal_client")
    way = json.loads((run.state / "client.json").read_text(encoding="utf-8"))
    given = [f"--{option}={found}" for option, found in options.items() if found]
    if way["access"] and Path(way["access"]).exists():
        given.append(f"--client-config={way['access']}")
    given += ["--dry-run"] if yes("DRY") else []
    bootstrap = ",".join(way["bootstrap"])
    # A word after it is a file, whatever it begins with.
    last = ["--", *files] if files else []
    return wait(["kafka-metal", command, f"--bootstrap={bootstrap}", *given, *last])


def produce(run: Run) -> int:
    """Send a file."""
    if not (value("FILE") and value("TOPIC")):
        refuse("which file to which topic? make produce FILE=some.csv TOPIC=name")
    options = {"topic": value("TOPIC"), "key": value("KEY"), "null": value("NULL")}
    return _client(run, "produce", options, value("FILE"))


def replay(run: Run) -> int:
    """Send a part of a topic once more."""
    if not (value("SOURCE") and value("TARGET")):
        refuse('from where to where? make replay SOURCE=a TARGET=b FROM="2h ago"')
    names = {"source": "SOURCE", "target": "TARGET", "from": "FROM", "until": "UNTIL"}
    return _client(run, "replay", {option: value(name) for option, name in names.items()})


def destroy(run: Run) -> int:
    """Delete a cluster: list what is deleted, then ask for its name."""
    if yes("DRY"):
        return run.play("destroy", words=["--check"], prepare=False)
    name = value("CONFIRM")
    if not name and sys.stdin.isatty():
        if code := run.play("destroy", words=["--check"], prepare=False):
            return code
        try:
            name = input("All data listed above will be deleted. Name of the cluster: ")
        except (EOFError, KeyboardInterrupt):
            print()
            refuse("no name was given")
    return run.play("destroy", variables={"confirm_destroy": name}, prepare=False)


def versions(run: Run) -> int:
    """Components with their licences; as CycloneDX too, in a folder."""
    folder = value("SBOM")
    given = {"versions_sbom": str(Path(folder).expanduser().absolute())} if folder else {}
    code = _answered(run, "versions", given)
    if code and run.file("versions.txt"):
        # The table names what was read; Ansible says which images are missing.
        run.said()
    return code


def bench(run: Run) -> int:
    """Measure; an existing cluster only where INVENTORY is on make's own command line."""
    given = value("INVENTORY") if "INVENTORY" in sys.argv[2:] else ""
    return run.play("benchmark", inventory=given or "inventories/benchmark")


VERBS: Mapping[str, Verb] = {
    "access": access,
    "bench": bench,
    "close": loud("close"),
    "demo": report("demo", "internal_status"),
    "destroy": destroy,
    **{
        f"disk-{step}": loud(f"disk_{step}", names=DISKS)
        for step in ("add", "drain", "remove", "replace", "reserve")
    },
    "down": loud("down"),
    "export": export,
    "groups": groups,
    "images": loud("host", "images"),
    "logs": logs,
    "plan": plan,
    "preflight": loud("preflight", "internal_statements"),
    "produce": produce,
    "reboot": loud("reboot"),
    "replay": replay,
    "replicas": replicas,
    "report": page,
    "rotate": loud("rotate", names={"WHAT": "rotate_what", "NAMES": "rotate_names"}),
    "restart": loud("restart", names={"S": "restart_services"}),
    "status": status,
    "support": support,
    "up": report("up"),
    "upgrade": loud("upgrade", FINISH="upgrade_finish"),
    "verify": answer("verify"),
    "versions": versions,
    "zookeeper-trust": loud("zookeeper_trust"),
}


def main() -> int:
    """Run the verb that is named."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in VERBS:
        refuse(f"found verb {name!r}; allowed: {', '.join(VERBS)}")
    os.environ["PATH"] = f"{os.environ['PATH']}{os.pathsep}{ROOT / '.venv/bin'}"
    with tempfile.TemporaryDirectory(prefix="kafka-metal-") as folder:
        return VERBS[name](Run(name, Path(folder)))
