"""A run prints one line per step with changes, failures in full, and its result."""

import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from dataclasses import dataclass
from fcntl import ioctl
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.failure_text import (
    HALF_HANDLED,
)
from plays import HERE, with_collection

PROGRESS = "metal.kafka.progress"
ALL_TASKS = "All tasks: "
ERASE = "\r\x1b[K"
# Prints progress, waits for two drawings, and ends.
WAITS = """
import time
from ansible.plugins.action import ActionBase
from ansible_collections.metal.kafka.plugins.plugin_utils._operations import progress_line

class ActionModule(ActionBase):
    def run(self, tmp=None, task_vars=None):
        super().run(tmp, task_vars)
        progress_line.show("180 of 200 partitions in sync, about 20 s left", 180, 200)
        # A task without an event, longer than the interval of a test.
        time.sleep(2)
        return {"changed": False}
"""
CRASHES = """#!/usr/bin/python
from ansible.module_utils.basic import AnsibleModule
AnsibleModule(argument_spec={})
raise ValueError("the value 7 is not allowed")
"""


@dataclass
class Done:
    """A run that has ended."""

    code: int
    stdout: str
    stderr: str = ""

    @property
    def lines(self) -> list[str]:
        return self.stdout.splitlines()

    @property
    def permanent(self) -> str:
        """Lines that remain on a terminal, without colours."""
        kept = [line.rpartition(ERASE)[2] for line in self.stdout.split("\r\n")]
        return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(kept))


class Runs:
    """Runs of playbooks in a folder on hosts that are this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with_collection(folder)
        (folder / "state").mkdir()
        (folder / "state/cluster").write_text("unit")
        for name, text in (("action_plugins/waits", WAITS), ("library/crashes", CRASHES)):
            (folder / name).parent.mkdir()
            (folder / f"{name}.py").write_text(text)
        (folder / "library/waits.py").write_text("#!/usr/bin/python\n")

    def write(self, name: str, *plays: tuple[str, list[dict[str, Any]]]) -> str:
        """Write a playbook of named plays with tasks; return its name."""
        found = [
            {"name": title, "hosts": "all", "gather_facts": False, "tasks": tasks}
            for title, tasks in plays
        ]
        (self.folder / f"{name}.yml").write_text(yaml.safe_dump(found))
        return f"{name}.yml"

    def command(self, *options: str, hosts: int = 1) -> list[str]:
        names = {f"h{number}": HERE for number in range(1, hosts + 1)}
        names["away"] = HERE | {"ansible_connection": "ssh", "ansible_port": 1}
        names["away"]["ansible_host"] = "127.0.0.1"
        if "--away" not in options:
            del names["away"]
        variables = {"cluster_name": "unit", "kafka_metal_state": str(self.folder / "state")}
        inventory = {"all": {"hosts": names, "vars": variables}}
        (self.folder / "hosts.yml").write_text(yaml.safe_dump(inventory))
        rest = [each for each in options if each != "--away"]
        return ["ansible-playbook", "--inventory=hosts.yml", *rest]

    def environment(self, **more: str) -> dict[str, str]:
        settings = {
            "ANSIBLE_COLLECTIONS_PATH": str(self.folder),
            "ANSIBLE_STDOUT_CALLBACK": PROGRESS,
            "PYTHONPATH": str(self.folder),
            # A busy machine may take long for each task.
            "KAFKA_METAL_PROGRESS_INTERVAL": "600",
        }
        kept = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith("ANSIBLE_") and key not in ("COLUMNS", "NO_COLOR")
        }
        return {**kept, "TERM": "xterm", **settings, **more}

    def plain(self, *options: str, hosts: int = 1, **environment: str) -> Done:
        """Run without a terminal."""
        done = subprocess.run(
            self.command(*options, hosts=hosts),
            cwd=self.folder,
            env=self.environment(**environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def terminal(
        self,
        *options: str,
        columns: int = 100,
        stop: int = 0,
        stop_at: str = "",
        hosts: int = 1,
        **environment: str,
    ) -> Done:
        """Run on a terminal; send the signal ``stop`` once ``stop_at`` is in the output."""
        main, side = pty.openpty()
        ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        run = subprocess.Popen(
            self.command(*options, hosts=hosts),
            cwd=self.folder,
            env=self.environment(**environment),
            stdin=side,
            stdout=side,
            stderr=side,
            start_new_session=True,
        )
        os.close(side)
        text, end = b"", time.monotonic() + 120
        while time.monotonic() < end:
            if not select.select([main], [], [], 0.2)[0]:
                continue
            try:
                text += os.read(main, 65536)
            except OSError:
                # The last process has closed the terminal.
                break
            if stop and stop_at.encode() in text:
                run.send_signal(stop)
                stop = 0
        os.close(main)
        return Done(run.wait(timeout=10), text.decode())

    def log(self, name: str) -> str:
        return (self.folder / f"state/{name}.log").read_text()


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path)


def debug(message: Any, **more: Any) -> dict[str, Any]:
    return {"name": f"Report {message}"[:40], "ansible.builtin.debug": {"msg": message}, **more}


def fail(message: str, **more: Any) -> dict[str, Any]:
    return {"name": "Start the broker", "ansible.builtin.fail": {"msg": message}, **more}


def change(message: str) -> dict[str, Any]:
    return debug(message, changed_when=True)


QUIET = {"name": "Read", "ansible.builtin.ping": {}}


def sleep(seconds: float) -> dict[str, Any]:
    command = {"name": "Wait for replicas", "ansible.builtin.command": f"sleep {seconds}"}
    return command | {"changed_when": False}


def test_a_run_without_changes_prints_few_lines(runs: Runs):
    plays = [(f"Step {number}", [QUIET]) for number in range(3)]
    name = runs.write("up", *plays, ("Last", [debug("Nothing differs", run_once=True)]))

    done = runs.plain(name, hosts=3)

    assert len(done.lines) <= 12, done.stdout
    assert done.lines[0] == "Nothing differs"
    assert re.fullmatch(r"Nothing changed, \d+ s\.", done.lines[-2])
    assert done.lines[-1] == f"{ALL_TASKS}{runs.folder}/state/up.log"
    log = runs.log("up")
    assert "PLAY [Step 2]" in log
    assert "PLAY RECAP" in log


def test_each_step_with_changes_is_one_line(runs: Runs):
    name = runs.write(
        "up",
        ("Read the machines", [QUIET]),
        ("Create topics", [change("topic a is created"), change("user b is created")]),
        ("Write files", [{"name": "Write the file", "ansible.builtin.command": "true"}]),
    )

    done = runs.plain(name, hosts=2)

    lines = [re.sub(r"\d+:\d\d|\d+ s\b", "T", line).strip() for line in done.lines]
    assert lines[:3] == [
        "T  Create topics, T: topic a is created on h1, h2; user b is created on h1, h2",
        "T  Write files, T: Write the file on h1, h2",
        "Done in T: 6 changes on 2 hosts.",
    ]


def test_instances_of_one_machine_are_counted_as_instances(runs: Runs):
    name = runs.write("up", ("Create files", [change("a is done")]))

    done = runs.plain(name, "-e", "metal_machine=h1", hosts=3)

    assert ": 3 changes on 2 instances on 1 machine." in done.stdout


def test_check_mode_says_that_nothing_was_changed(runs: Runs):
    name = runs.write("up", ("Create topics", [change("topic a is created")]))

    done = runs.plain(name, "--check")

    assert re.search(r"^Check mode, 0:\d\d: 1 change on 1 host\.$", done.stdout, re.MULTILINE)


def test_batches_and_several_playbooks_have_one_result(runs: Runs):
    first = runs.write("host", ("Prepare", [change("a is done")]))
    plays = yaml.safe_load((runs.folder / first).read_text())
    (runs.folder / first).write_text(yaml.safe_dump([plays[0] | {"serial": 1}]))
    second = runs.write("images", ("Build", [change("b is done")]))

    done = runs.plain(first, second, hosts=2)

    assert done.stdout.count("Prepare, ") == 1
    assert done.stdout.count("Done in ") == 1
    assert "4 changes on 2 hosts" in done.stdout
    assert done.lines[-1].endswith("state/images.log")
    assert "PLAY [Prepare]" in runs.log("images")


FAILURES: dict[str, tuple[list[dict[str, Any]], int, list[str]]] = {
    "one host": ([fail("no disk\nreplace it")], 1, ["h1 failed: Start the broker", "  no disk",
                                                    "  replace it"]),
    "equal messages": ([fail("no disk")], 5, ["h1, h2, h3, h4, h5 failed: Start the broker"]),
    "own messages": (
        [fail("no disk on {{ inventory_hostname }}\n" + "\n".join(map(str, range(30))))], 5,
        [f"  no disk on h{number}" for number in range(1, 6)],
    ),
    "item": (
        [fail("bad {{ item }}", loop=["a", "b"], when="item == 'b'")], 1, ["  b: bad b"],
    ),
    "assert": (
        [{"name": "Check", "ansible.builtin.assert": {"that": "1 == 2", "fail_msg": "too few"}}],
        1, ["h1 failed: Check", "  too few"],
    ),
    "crash": ([{"name": "Crash", "crashes": {}}], 1, ["  the value 7 is not allowed"]),
    "command": (
        [{"name": "Run", "ansible.builtin.shell": "echo lost >&2; exit 3"}], 1,
        ["  exit code: 3", "  lost"],
    ),
    "unreachable": ([QUIET], 1, ["away unreachable: Read"]),
    "failed rescue": (
        [{"block": [fail("first cause")], "rescue": [fail("not restored")]}], 1,
        ["  not restored", "  This handled a failure of Start the broker: first cause"],
    ),
    "changes after it": (
        [fail("no disk", when="inventory_hostname == 'h1'"), change('b is done'),
         debug([f"note {n}" for n in range(25)])], 2, ["  no disk"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FAILURES)
def test_the_last_lines_have_every_cause(runs: Runs, case: str):
    tasks, hosts, causes = FAILURES[case]
    name = runs.write("up", ("Start", tasks))

    done = runs.plain(name, *(["--away"] if case == "unreachable" else []), hosts=hosts)

    assert done.code in (2, 4)
    tail = done.lines[-20:]
    for cause in causes:
        assert any(line.startswith(cause) for line in tail), done.stdout
    assert done.lines[-2].startswith("Failed after 0:")
    assert done.lines[-1].startswith(ALL_TASKS)
    for noise in ("Origin:", "{", "fatal:"):
        assert noise not in done.stdout
    assert "PLAY RECAP" in runs.log("up")


@pytest.mark.parametrize("callback", ["screen_output", "plan"])
@pytest.mark.parametrize("case", ["equal messages", "item", "unreachable", "failed rescue"])
def test_other_callbacks_print_the_same_failures(runs: Runs, case: str, callback: str):
    tasks, hosts, causes = FAILURES[case]
    name = runs.write("up", ("Start", tasks))
    away = ["--away"] if case == "unreachable" else []

    done = runs.plain(name, *away, hosts=hosts, ANSIBLE_STDOUT_CALLBACK=f"metal.kafka.{callback}")

    assert done.code in (2, 4)
    lines = done.stderr.splitlines()
    for cause in causes:
        assert any(line.startswith(cause) for line in lines), done.stderr
    assert lines[-1] == f"{ALL_TASKS}{runs.folder}/state/up.log"
    for noise in ("Origin:", "{", "fatal:", "TASK"):
        assert noise not in done.stdout + done.stderr
    last = done.stdout.rpartition("plan: ")[2]
    assert last.startswith("failed on " if callback == "plan" else "")
    assert "PLAY RECAP" in runs.log("up")


def test_short_verbs_print_no_failures_that_are_handled_or_ignored(runs: Runs):
    handled = {"block": [fail("first cause")], "rescue": [QUIET]}
    name = runs.write("logs", ("Start", [handled, fail("ignored cause", ignore_errors=True)]))

    done = runs.plain(name, ANSIBLE_STDOUT_CALLBACK="metal.kafka.screen_output")

    assert (done.code, done.stdout + done.stderr) == (0, "")


def test_the_log_of_a_plan_has_no_contents_of_files(runs: Runs):
    copy = {"content": "inside\n", "dest": str(runs.folder / "file")}
    name = runs.write("plan", ("Write", [{"name": "Copy", "ansible.builtin.copy": copy}]))

    done = runs.plain(name, "--check", "--diff", ANSIBLE_STDOUT_CALLBACK="metal.kafka.plan")

    assert done.lines[-1] == "plan: 1 changes"
    assert "inside" not in done.stdout + done.stderr + runs.log("plan")
    assert "TASK [Copy]" in runs.log("plan")


def test_failures_that_are_handled_or_ignored_are_only_in_the_log(runs: Runs):
    handled = {"block": [fail("first cause")], "rescue": [QUIET]}
    name = runs.write("up", ("Start", [handled, fail("ignored cause", ignore_errors=True)]))

    done = runs.plain(name)

    assert done.code == 0
    assert "cause" not in done.stdout
    assert "Nothing changed" in done.stdout
    assert "first cause" in runs.log("up")
    assert "ignored cause" in runs.log("up")


INCLUDE = {"name": "Read more", "ansible.builtin.include_tasks": "{{ inventory_hostname }}.yml"}


@pytest.mark.parametrize("callback", ["progress", "screen_output", "plan"])
@pytest.mark.parametrize("hosts", [1, 2])
def test_a_missing_task_file_in_a_rescued_block_fails_a_run_that_ansible_ends_early(
    runs: Runs, hosts: int, callback: str
):
    handled = {"block": [INCLUDE], "rescue": [QUIET]}
    name = runs.write("up", ("Start", [handled, QUIET]), ("Next", [debug("next play")]))

    done = runs.plain(name, hosts=hosts, ANSIBLE_STDOUT_CALLBACK=f"metal.kafka.{callback}")

    lines = (done.stdout + done.stderr).splitlines()
    assert "next play" not in lines
    assert done.code == 2
    assert "h1 failed: Read more" in lines
    assert any("h1.yml" in line for line in lines)
    assert f"  {HALF_HANDLED}" in lines


def test_a_long_task_prints_signs_of_life(runs: Runs):
    name = runs.write("up", ("Start the brokers", [sleep(5)]))

    done = runs.plain(name, KAFKA_METAL_PROGRESS_INTERVAL="1")

    signs = [line for line in done.lines if "Wait for replicas (Start the brokers)" in line]
    assert len(signs) >= 3, done.stdout
    assert re.match(r" +0:\d\d  ", signs[0])


def test_a_run_continues_if_its_log_cannot_be_written(runs: Runs):
    name = runs.write("up", ("Wait for the cluster", [{"name": "Wait", "waits": None}]))
    (runs.folder / "state/up.log").symlink_to("/dev/full")
    done = runs.plain(name)
    assert done.code == 0
    assert "up.log, incomplete: No space left on device" in done.lines[-1]


def test_progress_of_a_wait_is_a_bar_or_a_line(runs: Runs):
    name = runs.write("up", ("Start", [{"name": "Wait until healthy", "waits": {}}]))
    text = "180 of 200 partitions in sync, about 20 s left"

    drawn = runs.terminal(name, columns=120)
    plain = runs.plain(name, KAFKA_METAL_PROGRESS_INTERVAL="1")
    default = runs.plain(name, ANSIBLE_STDOUT_CALLBACK="default")

    assert f"Wait until healthy: {text} (Start)" in drawn.stdout
    assert "━━━" in drawn.stdout
    assert text not in drawn.permanent
    assert f"Wait until healthy: {text} (Start)" in plain.stdout
    assert f"\n{text}\n" in default.stdout
    assert text in runs.log("up")


def test_repetitions_and_items_are_counted(runs: Runs):
    again = {
        "name": "Wait for the port",
        "ansible.builtin.command": "false",
        **{"register": "found", "until": "found.rc == 0", "retries": 1, "delay": 2},
        "ignore_errors": True,
    }
    items = sleep(1) | {"loop": [1, 2, 3], "loop_control": {"extended": True}}
    name = runs.write("up", ("Start", [again, items]))

    done = runs.terminal(name)

    assert "Wait for the port: h1: attempt 2 of 2 (Start)" in done.stdout
    assert "Wait for replicas: 2 of 3 (Start)" in done.stdout


def test_plain_output_has_no_control_characters(runs: Runs):
    name = runs.write("up", ("Start", [change("a is done"), fail("no disk")]))

    done = runs.plain(name)

    assert all(line.isprintable() for line in (done.stdout + done.stderr).splitlines())


HOSTILE = "[red]a[/]\x1b[2J\u202e" + "x" * 2000 + "界\U0001f600"


@pytest.mark.parametrize("columns", [40, 100])
def test_hostile_names_are_printed_as_text(runs: Runs, columns: int):
    item = {"loop": [HOSTILE], "loop_control": {"extended": True}}
    tasks = [debug("{{ hostile }}"), change("{{ hostile }}"), fail("{{ hostile }}", **item)]
    tasks[0]["name"] = "[bold]{{ hostile }}"
    name = runs.write("up", ("Start [/]{{ hostile }}", [*tasks[:1], sleep(1), *tasks[1:]]))
    (runs.folder / "more.yml").write_text(yaml.safe_dump({"hostile": HOSTILE}))

    done = runs.terminal(name, "-e@more.yml", columns=columns)
    plain = runs.plain(name, "-e@more.yml")

    for found in (done, plain):
        assert "Traceback" not in found.stdout + found.stderr
        assert "\x1b[2J" not in found.stdout
        assert "\u202e" not in found.stdout
        assert "[red]a[/]\\x1b[2J\\u202e" in found.stdout
        assert "Failed after" in found.stdout
    drawn = re.findall(r"\x1b\[\?7l(.*?)\x1b\[\?7h", done.stdout)
    assert drawn
    assert all("\n" not in each for each in drawn)
    assert max(len(re.sub(r"\x1b\[[0-9;]*m", "", each)) for each in drawn) < columns
    assert "?25l" not in done.stdout


def test_secrets_are_neither_printed_nor_logged(runs: Runs):
    tasks = [
        debug("{{ secret }}", no_log=True, changed_when=True, name="Write the key"),
        fail("{{ item }}", loop=["{{ secret }}"], no_log=True),
    ]
    name = runs.write("up", ("Start", tasks))

    done = runs.plain(name, "-e", "secret=mellon")

    assert "The message is hidden, because the task has no_log." in done.stdout
    assert "mellon" not in done.stdout + done.stderr + runs.log("up")


def test_verbose_output_is_that_of_ansible(runs: Runs):
    name = runs.write("up", ("Start", [QUIET, change("a is done"), fail("no disk")]))

    ours = runs.plain(name, "-v", hosts=2)
    default = runs.plain(name, "-v", hosts=2, ANSIBLE_STDOUT_CALLBACK="default")

    order = (sorted(done.lines) for done in (ours, default))
    assert next(order) == next(order)
    assert "PLAY RECAP" in runs.log("up")


def test_warnings_are_on_standard_error_and_in_the_log(runs: Runs):
    away = runs.write("up", ("Start", [QUIET | {"vars": {"ansible_python_interpreter": "auto"}}]))

    done = runs.plain(away)

    assert "[WARNING]: " in done.stderr
    assert "[WARNING]: " not in done.stdout
    assert "[WARNING]: " in runs.log("up")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_killed_run_leaves_the_terminal_usable(runs: Runs, number: int):
    name = runs.write("up", ("Start", [change("a is done"), sleep(60)]))

    done = runs.terminal(name, stop=number, stop_at="Wait for replicas")

    assert done.code == (99 if number == signal.SIGINT else -signal.SIGTERM)
    assert done.stdout.count("\x1b[?7l") == done.stdout.count("\x1b[?7h")
    assert "?25l" not in done.stdout
    assert done.permanent.splitlines()[-2:] == [
        "The run ended before its last task, after 1 change on 1 host.",
        f"{ALL_TASKS}{runs.folder}/state/up.log",
    ]
    assert done.stdout.endswith("\r\n")


@pytest.mark.parametrize("case", ["no rich", "dumb terminal"])
def test_without_drawing_lines_are_plain(runs: Runs, case: str):
    stub = runs.folder / "stub/rich"
    stub.mkdir(parents=True)
    (stub / "__init__.py").write_text("raise ImportError('no rich')")
    settings = {"PYTHONPATH": f"{stub.parent}:{runs.folder}"} if case == "no rich" else {}
    name = runs.write("up", ("Start", [change("a is done"), sleep(3)]))

    done = runs.terminal(
        name,
        KAFKA_METAL_PROGRESS_INTERVAL="1",
        ANSIBLE_NOCOLOR="1",
        **settings | ({"TERM": "dumb"} if case == "dumb terminal" else {}),
    )

    assert done.code == 0
    assert "\x1b" not in done.stdout
    assert "Wait for replicas (Start)" in done.stdout


def test_a_screen_comes_after_the_steps_and_before_the_result(runs: Runs):
    screen = {"metal.kafka.screen": {"text": "Cluster unit\n\nProblems:\n  no disk",
                                     "problems": ["no disk"]}}  # fmt: skip
    name = runs.write("up", ("Start", [change("a is done")]), ("Report", [screen]))

    done = runs.plain(name)

    assert done.code == 2
    assert re.search(
        r"Start, .*: a is done on h1\nCluster unit\n\nProblems:\n  no disk\nFailed after",
        done.stdout,
    )


def test_measured_steps_are_written_without_a_table(runs: Runs):
    name = runs.write("up", ("Start", [change("a is done")]))

    done = runs.plain(name, ANSIBLE_CALLBACKS_ENABLED="metal.kafka.steps")

    assert "STEPS" not in done.stdout
    assert (runs.folder / "state/steps.json").exists()


def test_nothing_is_written_to_a_directory_that_no_run_has_prepared(runs):
    (runs.folder / "state/cluster").unlink()
    name = runs.write("up", ("Prepare hosts", [{"name": "Do", "ansible.builtin.command": "true"}]))
    runs.plain(name)
    assert list((runs.folder / "state").iterdir()) == []
