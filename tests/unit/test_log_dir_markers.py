"""Removed log dirs and replicas are found before a broker starts, with a stub of ZooKeeper's shell.

A drill tests the same on a running cluster.
"""

import os
import subprocess
import time
from pathlib import Path

import pytest
import yaml

BIN = Path(__file__).resolve().parents[2] / "images/kafka/bin"
# Answers from the files `ids` and `topics`, and from one file for each partition.
SHELL = """#!/bin/bash
[ -e {root}/zk/ids ] || exit 1
echo "Connecting to $1"
while read -r verb path rest; do
    case $verb$path in
        ls/brokers/ids) cat {root}/zk/ids ;;
        ls-R) cat {root}/zk/topics ;;
        get*) cat "{root}/zk/${{path//\\//_}}" ;;
    esac
done
"""
# Fail or hang as their files say, in one log dir.
TOOL = """#!/bin/bash
case "$*" in *{root}/disk2*)
    [ ! -e {root}/hang-{tool} ] || sleep 30
    if [ -e {root}/fail-{tool} ]; then echo "{tool}: Input/output error" >&2; exit 2; fi ;;
esac
exec /usr/bin/{tool} "$@"
"""
METRICS = (BIN.parent / "conf/metrics.yml").read_text()


class Broker:
    """The log dirs of broker 1, and the state of partitions in ZooKeeper."""

    def __init__(self, root):
        self.root = root
        self.dirs = [root / name for name in ("disk1", "disk2", "disk3")]
        for each in (*self.dirs, root / "bin", root / "zk"):
            each.mkdir()
        self.write("bin/zookeeper-shell", SHELL.format(root=root)).chmod(0o755)
        for tool in ("ls", "cat", "dd"):
            self.write(f"bin/{tool}", TOOL.format(root=root, tool=tool)).chmod(0o755)
        self.timeout = 0
        listed = ",".join(map(str, self.dirs))
        self.write(
            "server.properties", f"broker.id=1\nlog.dirs={listed}\nzookeeper.connect=zk:2181/a\n"
        )
        self.write("conf/metrics.yml", METRICS)
        self.write("zk/ids", "[1, 2]\n")
        self.partitions = {}

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    def partition(self, name, log_dir, isr):
        """Store a partition in a log dir of this broker."""
        (self.dirs[log_dir] / name).mkdir(parents=True)
        topic, _, number = name.rpartition("-")
        path = f"/brokers/topics/{topic}/partitions/{number}/state"
        state = f'{{"controller_epoch":3,"leader":-1,"version":1,"leader_epoch":5,"isr":{isr}}}\n'
        self.write("zk/" + path.replace("/", "_"), state)
        self.partitions[path] = None
        self.write("zk/topics", "\n".join(["/brokers/topics", *self.partitions, ""]))
        self.checkpoint(log_dir, name)

    def checkpoint(self, log_dir, *names):
        """Add replicas to the checkpoint that Kafka writes into a log dir."""
        with (self.dirs[log_dir] / "replication-offset-checkpoint").open("a") as file:
            file.writelines(f"{' '.join(name.rsplit('-', 1))} 25\n" for name in names)

    def empty(self, log_dir):
        subprocess.run(["find", str(self.dirs[log_dir]), "-mindepth", "1", "-delete"], check=True)

    def start(self):
        """Start the guard with a stub of the broker, which writes into its log dirs."""
        files = " ".join(f"{each}/meta.properties" for each in self.dirs)
        agent = f"-javaagent:/agent.jar=0.0.0.0:9404:{self.root}/conf/metrics.yml"
        script = f"touch {files}; echo started $0"
        return subprocess.run(
            [BIN / "kafka-guard", self.root / "server.properties", "bash", "-c", script, agent],
            env={
                "PATH": f"{self.root}/bin:{BIN}:{os.environ['PATH']}",
                "KAFKA_DISK_TIMEOUT": str(self.timeout),
                "KAFKA_DISK_STATE": f"{self.root}/state",
            },
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def rules(self, done):
        """Return the rules with which the agent started."""
        return Path(done.stdout.split(":")[-1].strip()).read_text()


@pytest.fixture
def broker(tmp_path):
    found = Broker(tmp_path)
    done = found.start()
    assert (done.returncode, done.stderr) == (0, "")
    assert found.rules(done) == METRICS
    found.partition("orders-0", 0, "[2,1]")
    found.partition("orders-1", 1, "[1,2]")
    found.partition("alone-0", 2, "[1]")
    return found


def test_a_restart_with_all_data_reports_nothing(broker):
    done = broker.start()
    assert (done.returncode, done.stderr) == (0, "")
    assert broker.rules(done) == METRICS


def test_an_emptied_log_dir_is_logged_and_exported_once(broker):
    broker.empty(1)
    done = broker.start()
    assert done.returncode == 0, done.stderr
    lost = f"{broker.root}/disk2"
    assert f"{lost} had data at the last start and is empty now" in done.stderr
    # An agent with these rules exports the start time of the JVM.
    rules = yaml.safe_load(broker.rules(done))
    declared = yaml.safe_load(METRICS)
    bean = "java.lang:type=Runtime"
    assert rules["includeObjectNames"] == [bean, *declared["includeObjectNames"]]
    labels = [rule.get("labels") for rule in declared["rules"]]
    expected = [{"log_dir": lost} if each == {"log_dir": "EMPTIED"} else each for each in labels]
    assert expected != labels
    assert [rule.get("labels") for rule in rules["rules"]] == expected
    again = broker.start()
    assert (again.returncode, again.stderr) == (0, "")
    assert broker.rules(again) == METRICS


def test_a_broker_with_the_last_in_sync_replica_in_an_emptied_log_dir_does_not_start(broker):
    broker.empty(2)
    done = broker.start()
    assert (done.returncode, done.stdout) == (78, "")
    assert "the last in-sync replica of 1 partitions" in done.stderr
    assert "such as alone-0;" in done.stderr
    # The markers stay, so that the next start refuses as well.
    assert broker.start().returncode == 78
    accept(broker, 2)
    assert broker.start().returncode == 0


def accept(broker, *log_dirs):
    """Run the command that accepts a loss, as the message has it."""
    command = broker.start().stderr.partition("accept the loss with: ")[2].strip()
    assert command.split() == [
        *("truncate", "-s", "0"), *(f"{broker.dirs[each]}/.log-dirs" for each in log_dirs)
    ]  # fmt: skip
    subprocess.run(command.split(), check=True)


def test_a_broker_does_not_start_before_other_in_sync_replicas_are_live(broker):
    broker.write("zk/ids", "[1, 12]\n")
    broker.empty(1)
    done = broker.start()
    assert done.returncode == 78
    assert "such as orders-1; start the other brokers first" in done.stderr
    broker.write("zk/ids", "[2]\n")
    assert broker.start().returncode == 0


def test_a_broker_does_not_start_while_the_in_sync_replicas_are_unknown(broker):
    broker.empty(1)
    broker.write("zk/ids", "").unlink()
    done = broker.start()
    assert done.returncode == 78
    assert "zk:2181/a: found 0 states of 0 partitions" in done.stderr


def test_a_new_log_dir_and_a_replaced_disk_are_not_reported(broker):
    broker.empty(1)
    # make disk-replace
    (broker.dirs[1] / ".log-dirs").touch()
    new = broker.root / "disk4"
    new.mkdir()
    broker.dirs.append(new)
    listed = ",".join(map(str, broker.dirs))
    broker.write("server.properties", f"broker.id=1\nlog.dirs={listed}\nzookeeper.connect=zk\n")
    done = broker.start()
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("tool", ["ls", "dd"])
def test_an_empty_dir_that_cannot_be_listed_or_written_is_left_to_kafka(broker, tool):
    # A dead disk; with dd alone, an immutable mount point without its disk.
    broker.partition("alone-1", 1, "[1]")
    broker.empty(1)
    broker.write(f"fail-{tool}", "")
    done = broker.start()
    assert (done.returncode, done.stderr) == (0, "")
    assert broker.rules(done) == METRICS


def test_another_log_dir_is_still_found_while_a_disk_is_dead(broker):
    broker.write("fail-ls", "")
    broker.write("fail-dd", "")
    broker.empty(0)
    done = broker.start()
    assert f"{broker.root}/disk1 had data" in done.stderr


@pytest.mark.parametrize("tool", ["ls", "cat"])
def test_a_disk_that_hangs_before_the_watchdog_runs_does_not_block(broker, tool):
    broker.timeout = 1
    broker.partition("alone-1", 1, "[1]")
    broker.write(f"hang-{tool}", "")
    before = time.monotonic()
    done = broker.start()
    assert (done.returncode, done.stderr) == (0, "")
    assert time.monotonic() - before < 20


def test_a_refused_start_names_what_helps(broker):
    broker.empty(2)
    assert "mount the right disk, replace it with make disk-replace, or" in broker.start().stderr
    accept(broker, 2)


def test_a_broker_whose_last_in_sync_replica_was_removed_does_not_start(broker):
    (broker.dirs[2] / "alone-0").rmdir()
    done = broker.start()
    assert (done.returncode, done.stdout) == (78, "")
    assert "the last in-sync replica of 1 partitions" in done.stderr
    assert "such as alone-0;" in done.stderr
    assert "start the other brokers, restore the directories, or" in done.stderr
    # With the directory it starts, and so it does without it after the loss is accepted.
    (broker.dirs[2] / "alone-0").mkdir()
    assert broker.start().returncode == 0
    (broker.dirs[2] / "alone-0").rmdir()
    accept(broker, 2)
    assert broker.start().returncode == 0
    # Accepted only once.
    assert broker.start().returncode == 78


def test_a_removed_replica_with_other_in_sync_replicas_is_logged(broker):
    (broker.dirs[1] / "orders-1").rmdir()
    done = broker.start()
    assert done.returncode == 0
    assert f"INFO log-dir-markers: {broker.dirs[1]} had 1 replicas without a dir" in done.stderr
    assert "such as orders-1:" in done.stderr
    broker.write("zk/ids", "[1]\n")
    assert broker.start().returncode == 78


def test_a_removed_replica_starts_no_broker_while_the_in_sync_replicas_are_unknown(broker):
    (broker.dirs[1] / "orders-1").rmdir()
    broker.write("zk/ids", "").unlink()
    assert broker.start().returncode == 78


def test_a_partition_created_while_the_broker_was_stopped_is_not_a_removed_replica(broker):
    broker.partition("new-0", 0, "[1]")
    (broker.dirs[0] / "new-0").rmdir()
    checkpoint = broker.dirs[0] / "replication-offset-checkpoint"
    checkpoint.write_text("0\n1\norders 0 25\n")
    done = broker.start()
    assert (done.returncode, done.stderr) == (0, "")
    # Nor is it one if others were removed.
    (broker.dirs[1] / "orders-1").rmdir()
    assert broker.start().returncode == 0


@pytest.mark.parametrize("state", ["delete", "future", "stray"])
def test_directories_that_kafka_moves_or_deletes_are_not_removed_replicas(broker, state):
    name = f"alone-0.{'0123456789abcdef' * 2}-{state}"
    (broker.dirs[2] / "alone-0").rename(broker.dirs[1] / name)
    done = broker.start()
    assert (done.returncode, done.stderr) == (0, "")


def test_an_old_checkpoint_of_a_log_dir_without_replicas_stops_no_broker(broker):
    # All replicas were moved: to another log dir, to other brokers, or their topic was deleted.
    broker.checkpoint(1, "orders-0", "deleted-0")
    broker.partition("away-0", 1, "[2]")
    (broker.dirs[1] / "away-0").rmdir()
    assert broker.start().returncode == 0


def test_a_replica_is_not_removed_while_another_log_dir_cannot_be_read(broker):
    # It may be there: Kafka does not create it anew while a log dir is offline.
    (broker.dirs[2] / "alone-0").rmdir()
    broker.dirs[1].rename(broker.root / "unmounted")
    done = broker.start()
    assert done.returncode == 0
    assert "log-dir-markers" not in done.stderr


def test_an_emptied_log_dir_and_a_removed_replica_are_accepted_together(broker):
    broker.partition("alone-1", 0, "[1]")
    (broker.dirs[0] / "alone-1").rmdir()
    broker.empty(2)
    assert "of 2 partitions" in broker.start().stderr
    accept(broker, 2, 0)
    assert broker.start().returncode == 0


@pytest.mark.parametrize("content", [b"\xff\0\n", b"a b c\n.. / 1\n$(id) 0 1\n", b"x" * 99999])
def test_a_damaged_checkpoint_stops_no_broker(broker, content):
    (broker.dirs[0] / "replication-offset-checkpoint").write_bytes(content)
    done = broker.start()
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("timeout", [0, 2])
def test_a_state_folder_that_cannot_be_created_does_not_stop_the_broker(broker, timeout):
    broker.timeout = timeout
    broker.empty(1)
    subprocess.run(["rm", "-r", broker.root / "state"], check=True)
    broker.write("state", "a file")
    done = broker.start()
    assert done.returncode == 0
    assert "state cannot be written: disks are not watched" in done.stderr
    assert f"{broker.root}/disk2 had data" in done.stderr
    assert broker.rules(done) == METRICS


@pytest.mark.parametrize("file", ["emptied", "metrics.yml.new"])
def test_a_full_state_folder_does_not_stop_the_broker(broker, file):
    broker.empty(1)
    path = broker.root / "state" / file
    path.unlink(missing_ok=True)
    path.symlink_to("/dev/full")
    done = broker.start()
    assert done.returncode == 0
    assert f"{broker.root}/disk2 had data" in done.stderr
    assert "exported" in done.stderr
    assert broker.rules(done) == METRICS


def test_a_dir_that_cannot_be_read_is_left_to_kafka(broker):
    broker.dirs[1].rename(broker.root / "unmounted")
    done = broker.start()
    assert "had data" not in done.stderr
