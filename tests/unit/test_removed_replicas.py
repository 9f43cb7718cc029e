"""Directories of replicas that are removed while a broker runs, and the rules that export them.

The test rewrites the checkpoint as Kafka does. A drill removes a directory under a real broker.
"""

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
import yaml

BIN = Path(__file__).resolve().parents[2] / "images/kafka/bin"
RULES = BIN.parent / "conf/metrics.yml"
CHECKPOINT = "replication-offset-checkpoint"
LIST = "recovery-point-offset-checkpoint"
RENAMED = "0123456789abcdef" * 2


class LogDirs:
    """Two log dirs of a broker, the process ``sleep``, and the program that watches them."""

    def __init__(self, root):
        self.root = root
        self.dirs = [root / "disk1", root / "disk2"]
        for each in (*self.dirs, root / "state"):
            each.mkdir()
        (root / "state/emptied").touch()
        (root / "state/removed").touch()
        (root / "metrics.yml").write_text(RULES.read_text())
        self.rules = root / "metrics.yml"
        self.running = []

    def create(self, log_dir, *names):
        for name in names:
            (self.dirs[log_dir] / name).mkdir()

    def checkpoint(self, log_dir, *names, text=None):
        """Write a checkpoint of replicas; then wait until it was compared."""
        self.replace_checkpoint(log_dir, *names, text=text)
        time.sleep(0.5)

    def replace_checkpoint(self, log_dir, *names, text=None):
        lines = [f"{' '.join(name.rsplit('-', 1))} 7" for name in names]
        new = self.dirs[log_dir] / f"{CHECKPOINT}.tmp"
        new.write_text("\n".join(["0", str(len(names)), *lines, ""]) if text is None else text)
        new.rename(self.dirs[log_dir] / CHECKPOINT)

    def watch(self, rules=None, interval=0.1):
        broker = subprocess.Popen(["sleep", "60"])
        program = [BIN / "removed-replicas", "watch", str(broker.pid), rules or str(self.rules)]
        watcher = subprocess.Popen(
            [*program, *self.dirs],
            env={
                "PATH": f"{BIN}:{os.environ['PATH']}",
                "KAFKA_DISK_STATE": str(self.root / "state"),
                "KAFKA_REPLICAS_INTERVAL": str(interval),
            },
            stderr=(self.root / "err").open("w"),
        )
        self.running += [broker, watcher]
        return broker, watcher

    @property
    def log(self):
        return (self.root / "err").read_text()

    def exported(self):
        """Return the number of removed replicas by log dir that the agent would export."""
        written = self.root / "state/metrics.yml"
        rules = yaml.safe_load((written if written.exists() else RULES).read_text())
        bean = "kafka.log:type=LogCleanerManager,name=uncleanable-bytes,*"
        if bean not in rules["includeObjectNames"]:
            return {}
        return {
            rule["labels"]["log_dir"]: (rule["value"], rule["pattern"])
            for rule in rules["rules"]
            if rule["name"] == "kafka_log_dir_removed_replicas"
        }


@pytest.fixture
def dirs(tmp_path):
    found = LogDirs(tmp_path)
    found.create(0, "orders-0", "orders-1", "a.b_c-12")
    found.create(1, "other-0")
    yield found
    for process in found.running:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        process.wait()


def checkpoints(dirs, *names, count=2):
    for _ in range(count):
        dirs.checkpoint(0, *names)


def until(dirs, condition, *names, log_dir=0):
    """Write checkpoints until a condition holds: a busy machine may compare only some of them."""
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, dirs.log
        if names:
            dirs.checkpoint(log_dir, *names)


def compared_again(dirs):
    """Wait for more comparisons, by replicas that are removed from the other log dir."""
    (dirs.dirs[1] / "other-0").rmdir()
    until(dirs, lambda: str(dirs.dirs[1]) in dirs.exported(), "other-0", log_dir=1)


def test_a_removed_directory_is_logged_once_and_exported(dirs):
    dirs.watch()
    checkpoints(dirs, "orders-0", "orders-1", "a.b_c-12")
    assert dirs.log == ""
    (dirs.dirs[0] / "orders-1").rmdir()
    names = ("orders-0", "orders-1", "a.b_c-12")
    until(dirs, dirs.exported, *names)
    checkpoints(dirs, *names, count=3)
    path = str(dirs.dirs[0])
    assert dirs.log.count("\n") == 1
    assert f"WARN removed-replicas: {path}: removed directories of 1 replicas, such" in dirs.log
    assert "such as orders-1: a restart of the broker" in dirs.log
    bean = rf'kafka.log<type=LogCleanerManager, name=uncleanable-bytes, logDirectory="?\Q{path}\E"?'
    assert dirs.exported() == {path: (1, f"{bean}><>Value")}


def test_a_directory_that_is_back_is_logged_and_no_longer_exported(dirs):
    dirs.watch()
    (dirs.dirs[0] / "orders-1").rmdir()
    until(dirs, dirs.exported, "orders-1")
    dirs.create(0, "orders-1")
    until(dirs, lambda: not dirs.exported(), "orders-1")
    assert f"INFO removed-replicas: {dirs.dirs[0]}: no longer missing are 1 replicas" in dirs.log
    assert (dirs.root / "state/metrics.yml").read_text() == RULES.read_text()
    assert (dirs.root / "state/removed").read_text() == ""


def test_a_directory_that_is_missing_in_one_comparison_is_not_removed(dirs):
    # Kafka renames the directory of a deleted topic some seconds before the checkpoint follows.
    dirs.watch()
    checkpoints(dirs, "orders-0", "orders-1")
    (dirs.dirs[0] / "orders-1").rmdir()
    dirs.checkpoint(0, "orders-0", "orders-1")
    # The only checkpoint that has to be compared, also on a busy machine.
    dirs.checkpoint(0, "orders-0")
    compared_again(dirs)
    dirs.checkpoint(0, "orders-0", "orders-1")
    assert str(dirs.dirs[0]) not in dirs.log


def test_a_checkpoint_that_kafka_no_longer_writes_is_not_compared_again(dirs):
    # The log dir is offline, or its last replica was moved or deleted.
    dirs.watch()
    checkpoints(dirs, "orders-0")
    (dirs.dirs[0] / "orders-0").rmdir()
    time.sleep(1)
    assert dirs.log == ""


def list_logs(dirs, after):
    """Write the list of an online log dir; its time is that many seconds after the checkpoint."""
    new = dirs.dirs[0] / f"{LIST}.tmp"
    new.write_text("0\n0\n")
    later = (dirs.dirs[0] / CHECKPOINT).stat().st_mtime + after
    os.utime(new, (later, later))
    new.rename(dirs.dirs[0] / LIST)


def remove_orders(dirs, interval=0.1):
    dirs.watch(interval=interval)
    (dirs.dirs[0] / "orders-1").rmdir()
    until(dirs, dirs.exported, "orders-1")


@pytest.mark.parametrize("after", [60, -3600])
def test_a_log_dir_that_lost_its_last_replica_is_no_longer_exported(dirs, after):
    """Also if the clock is set back meanwhile."""
    remove_orders(dirs)
    # The directory is restored and its topic deleted before the next comparison.
    compared_again(dirs)
    assert len(dirs.exported()) == 2
    list_logs(dirs, after)
    until(dirs, lambda: list(dirs.exported()) == [str(dirs.dirs[1])])
    assert f"INFO removed-replicas: {dirs.dirs[0]}: no longer missing are 1 replicas" in dirs.log


@pytest.mark.parametrize("after", [5, 3600])
def test_removed_replicas_of_an_offline_log_dir_are_still_exported(dirs, after):
    """Also if the clock jumps meanwhile."""
    # The deletion of a topic takes the log dir offline, and Kafka then writes a last list. Two
    # comparisons between both files would clear the export: on a busy machine they need some time.
    remove_orders(dirs, interval=0.4)
    dirs.replace_checkpoint(0, "orders-1")
    list_logs(dirs, after)
    compared_again(dirs)
    assert sorted(dirs.exported()) == sorted(map(str, dirs.dirs))


@pytest.mark.parametrize("state", ["delete", "future", "stray"])
def test_directories_that_kafka_moves_or_deletes_are_not_removed(dirs, state):
    dirs.watch()
    (dirs.dirs[0] / "orders-1").rename(dirs.dirs[0] / f"orders-1.{RENAMED}-{state}")
    checkpoints(dirs, "orders-0", "orders-1", count=3)
    assert dirs.log == ""


def test_a_log_dir_that_cannot_be_listed_is_left_to_kafka(dirs):
    dirs.watch()
    dirs.checkpoint(0, "orders-0")
    dirs.dirs[0].rename(dirs.root / "unmounted")
    time.sleep(0.5)
    assert dirs.log == ""


def test_many_removed_replicas_are_one_line_and_an_exact_number(dirs):
    names = [f"topic-{number}" for number in range(2000)]
    dirs.create(1, *names[:1000])
    dirs.watch()
    until(dirs, dirs.exported, *names, log_dir=1)
    (dirs.dirs[0] / "orders-0").rmdir()
    until(dirs, lambda: len(dirs.exported()) > 1, "orders-0")
    assert "removed directories of 1000 replicas, such as topic-1000 topic-1001 topic-1002:" in (
        dirs.log
    )
    assert len(dirs.log) < 1000
    assert {path: count for path, (count, _) in dirs.exported().items()} == {
        str(dirs.dirs[0]): 1,
        str(dirs.dirs[1]): 1000,
    }


@pytest.mark.parametrize(
    "text",
    [
        "0\n1\norders 0 7 extra\n",
        "0\n1\n../disk2 0 7\n$(id) 1 7\n\0 1 7\n",
        f"0\n1\n{'x' * 300} 0 7\n",
        "",
        "orders" * 100_000,
    ],
)
def test_lines_that_are_no_replicas_are_skipped(dirs, text):
    dirs.watch()
    for _ in range(3):
        dirs.checkpoint(0, text=text)
    assert dirs.log == ""


def test_a_pipe_in_place_of_a_checkpoint_does_not_block(dirs):
    os.mkfifo(dirs.dirs[1] / CHECKPOINT)
    (dirs.dirs[0] / "orders-1").rmdir()
    dirs.watch()
    until(dirs, lambda: "orders-1" in dirs.log, "orders-1")


def test_without_rules_of_an_agent_it_is_logged(dirs):
    broker = subprocess.Popen(["sleep", "60"])
    dirs.running.append(broker)
    (dirs.dirs[0] / "orders-1").rmdir()
    done = subprocess.Popen(
        [BIN / "removed-replicas", "watch", str(broker.pid), "", *dirs.dirs],
        env={"KAFKA_DISK_STATE": str(dirs.root / "state"), "KAFKA_REPLICAS_INTERVAL": "0.1"},
        stderr=(dirs.root / "err").open("w"),
    )
    dirs.running.append(done)
    until(dirs, lambda: "orders-1" in dirs.log, "orders-1")
    checkpoints(dirs, "orders-1")
    assert "metric" not in dirs.log
    assert not (dirs.root / "state/metrics.yml").exists()


def test_a_full_state_folder_is_logged_once(dirs):
    (dirs.root / "state/metrics.yml.new").symlink_to("/dev/full")
    (dirs.dirs[0] / "orders-1").rmdir()
    dirs.watch()
    until(dirs, lambda: "exported" in dirs.log, "orders-1")
    checkpoints(dirs, "orders-1")
    assert dirs.log.count("removed replicas cannot be exported as a metric") == 1


def test_the_guard_of_a_broker_tells_its_agent(dirs):
    properties = dirs.root / "server.properties"
    properties.write_text(f"broker.id=1\nlog.dirs={dirs.dirs[0]},{dirs.dirs[1]}\n")
    agent = f"-javaagent:/agent.jar=0.0.0.0:9404:{dirs.rules}"
    guard = subprocess.Popen(
        [BIN / "kafka-guard", properties, "bash", "-c", "echo $0; sleep 60", agent],
        env={
            "PATH": f"{BIN}:{os.environ['PATH']}",
            "KAFKA_DISK_STATE": str(dirs.root / "state"),
            "KAFKA_DISK_TIMEOUT": "30",
            "KAFKA_REPLICAS_INTERVAL": "0.1",
        },
        stdout=subprocess.PIPE,
        stderr=(dirs.root / "err").open("w"),
        text=True,
        start_new_session=True,
    )
    try:
        rules = Path(guard.stdout.readline().strip().rpartition(":")[2])
        assert rules.read_text() == RULES.read_text()
        (dirs.dirs[0] / "orders-1").rmdir()
        until(dirs, dirs.exported, "orders-1")
        assert rules == dirs.root / "state/metrics.yml"
        assert list(dirs.exported()) == [str(dirs.dirs[0])]
    finally:
        os.killpg(guard.pid, signal.SIGKILL)
        guard.wait()


def test_it_ends_with_the_broker(dirs):
    broker, watcher = dirs.watch()
    broker.kill()
    broker.wait()
    assert watcher.wait(5) == 0


def test_changed_rules_are_always_later_than_those_before(tmp_path):
    """The agent reads its rules again if their time is later, also after a clock was set back."""
    for fact in ("emptied", "removed"):
        (tmp_path / fact).touch()
    written = tmp_path / "metrics.yml"
    for _ in range(3):
        before = written.stat().st_mtime if written.exists() else 0
        subprocess.run([BIN / "metrics-rules", RULES, tmp_path], check=True)
        assert written.stat().st_mtime > before
        ahead = time.time() + 3600
        os.utime(written, (ahead, ahead))


@pytest.mark.parametrize("path", ['/data/"$1"', "/data/a: b", "/data/(a"])
def test_a_path_that_rules_cannot_have_is_named_and_left_out(tmp_path, path):
    (tmp_path / "emptied").touch()
    (tmp_path / "removed").write_text(f"1 {path}\n2 /data/disk1\n")
    done = subprocess.run(
        [BIN / "metrics-rules", RULES, tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert f"log dir {path}: found characters that rules cannot have" in done.stderr
    rules = yaml.safe_load((tmp_path / "metrics.yml").read_text())["rules"]
    found = [each["labels"]["log_dir"] for each in rules if "removed" in each.get("name", "")]
    assert found == ["/data/disk1"]


@pytest.mark.parametrize("arguments", [[], ["list"], ["watch", "1"]])
def test_a_wrong_call_names_the_usage(arguments):
    done = subprocess.run(
        [BIN / "removed-replicas", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 64
    assert done.stderr.startswith("usage: removed-replicas list DIR OTHER...")
