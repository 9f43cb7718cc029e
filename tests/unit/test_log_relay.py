"""A service is never held back by its log, whoever does not read it; lost lines are counted."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest

RELAY = Path(__file__).resolve().parents[2] / "images/shared/log-relay"
MISSING = re.compile(r"WARN log-relay: (\w+): (\d+) lines \((\d+) bytes\) are missing here")
MIB = 1024**2
LINES = 104_858
# Ten MiB in lines of 100 bytes, each with its number, then a file that says it came to the end.
TALKER = """
import pathlib, sys, time
print(0, flush=True)
if "wait" in sys.argv:
    sys.stdin.readline()
for number in range(1, 104_858):
    print(f"{number:099d}")
    # As fast as no service logs, and not faster than two processes read on a busy machine.
    if number % 1000 == 0:
        time.sleep(0.002)
sys.stdout.flush()
pathlib.Path(sys.argv[1]).touch()
if "stay" in sys.argv:
    sys.stdin.read()
"""
LAST = f"{LINES - 1:099d}\n"


def until(fact: Callable[[], object], seconds: float = 15) -> None:
    end = time.monotonic() + seconds
    while not fact():
        assert time.monotonic() < end, "did not come to pass"
        time.sleep(0.02)


class Relay:
    """The relay with a console that is read when the test reads it."""

    def __init__(self, folder: Path, *command: str, size: str = "20m") -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            # Tests that run in the background of a shell ignore INT and QUIT, and so would it.
            ["env", "--default-signal", RELAY, folder, size, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert self.process.stdout is not None
        self.console: IO[bytes] = self.process.stdout

    def log(self, name: str = "log") -> str:
        return (self.folder / name).read_text()

    def end(self, seconds: float = 15) -> tuple[int, str]:
        """Exit code and all that the console shows, read from now on."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        shown = self.console.read().decode()
        return self.process.wait(seconds), shown


@pytest.fixture
def relay(tmp_path: Path) -> Iterator[Callable[..., Relay]]:
    started: list[Relay] = []

    def start(*command: str, folder: Path = tmp_path, size: str = "20m") -> Relay:
        started.append(Relay(folder, *command, size=size))
        return started[-1]

    yield start
    for each in started:
        each.process.kill()
        each.process.wait()
        each.console.close()


def talker(tmp_path: Path, *then: str) -> list[str]:
    return [sys.executable, "-c", TALKER, str(tmp_path / "done"), *then]


def missing_of(text: str) -> int:
    """Every line is there in its order, or counted where it is missing; how many are missing."""
    expected = missing = 0
    for line in text.splitlines():
        if found := MISSING.search(line):
            expected += int(found[2])
            missing += int(found[2])
        else:
            assert int(line) == expected
            expected += 1
    assert expected == LINES
    return missing


def test_a_console_that_nobody_reads_holds_nothing_back_and_tells_later_what_it_lacks(
    tmp_path: Path, relay: Callable[..., Relay]
):
    one = relay(*talker(tmp_path, "stay"))
    until((tmp_path / "done").exists)
    until(lambda: one.log().endswith(LAST))
    assert one.process.poll() is None

    code, shown = one.end()

    assert code == 0
    assert missing_of(shown) > LINES // 2
    assert MISSING.search(shown)[1] == "console"
    assert missing_of(one.log()) == 0


def test_the_end_of_a_service_does_not_wait_for_a_reader_that_never_comes(
    tmp_path: Path, relay: Callable[..., Relay]
):
    one = relay(*talker(tmp_path))
    # With two outputs the time limit is two seconds each.
    assert one.process.wait(15) == 0
    assert one.log().endswith(LAST)


def test_a_console_that_is_gone_ends_nothing(tmp_path: Path, relay: Callable[..., Relay]):
    one = relay(*talker(tmp_path, "stay"))
    one.console.close()
    until(lambda: (tmp_path / "log").exists() and one.log().endswith(LAST))
    assert one.process.poll() is None


@contextlib.contextmanager
def hung(file: Path) -> Iterator[int]:
    """The process that writes the file stands still, as one whose disk does not answer."""
    pids: list[int] = []

    def writers() -> list[int]:
        pids[:] = [
            int(process.name)
            for process in Path("/proc").glob("[0-9]*")
            for handle in _links(process / "fd")
            if handle == str(file)
        ]
        return pids

    until(writers)
    os.kill(pids[0], signal.SIGSTOP)
    try:
        yield pids[0]
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pids[0], signal.SIGCONT)


def _links(folder: Path) -> list[str]:
    try:
        return [os.readlink(each) for each in folder.iterdir()]
    except OSError:
        return []


def test_a_disk_that_hangs_holds_nothing_back_and_what_the_file_lacks_is_counted_in_it(
    tmp_path: Path, relay: Callable[..., Relay]
):
    one = relay(*talker(tmp_path, "wait", "stay"))
    with hung(tmp_path / "log"):
        assert one.process.stdin is not None
        one.process.stdin.write(b"\n")
        one.process.stdin.flush()
        shown = [one.console.readline() for _ in range(LINES)]
    assert shown[-1].decode() == LAST
    until(lambda: MISSING.search(one.log()))

    assert missing_of(one.log()) > LINES // 4
    assert MISSING.search(one.log())[1] == "file"


def test_a_file_whose_writer_was_killed_goes_on(tmp_path: Path, relay: Callable[..., Relay]):
    one = relay("sh", "-c", "n=0; while sleep 0.1; do echo $n; n=$((n+1)); done")
    with hung(tmp_path / "log") as writer:
        os.kill(writer, signal.SIGKILL)
    before = one.log()
    until(lambda: one.log() != before)


def test_two_files_of_the_size_are_all_that_a_log_takes(
    tmp_path: Path, relay: Callable[..., Relay]
):
    for _ in range(2):
        one = relay(*talker(tmp_path), size="1m")
        assert one.end()[0] == 0
    assert {each.name for each in tmp_path.iterdir()} == {"log", "log.1", "done"}
    assert (tmp_path / "log").stat().st_size <= MIB
    assert MIB - 70_000 <= (tmp_path / "log.1").stat().st_size <= MIB
    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o640
    # Newest last, nothing between the two.
    numbers = [int(line) for line in (one.log("log.1") + one.log()).splitlines()[1:]]
    assert numbers == list(range(numbers[0], LINES))


def test_a_service_that_starts_again_and_again_does_not_fill_the_disk(
    tmp_path: Path, relay: Callable[..., Relay]
):
    for _ in range(8):
        assert relay("head", "--bytes=400", "/dev/zero", size="1k").end()[0] == 0
    assert sorted(each.stat().st_size for each in tmp_path.iterdir()) == [800, 800]


def test_a_full_disk_holds_nothing_back_and_the_file_goes_on_when_there_is_room(
    tmp_path: Path, relay: Callable[..., Relay]
):
    # A limit on the size of files fails as a full disk does, but for the signal.
    script = "trap '' XFSZ; ulimit -S -f 100; exec \"$@\""
    one = subprocess.Popen(
        ["bash", "-c", script, "-", RELAY, tmp_path, "20m", *talker(tmp_path)],
        stdout=subprocess.PIPE,
    )
    shown = one.communicate(timeout=15)[0]
    assert one.returncode == 0
    assert shown.count(b"\n") == LINES
    assert (tmp_path / "log").stat().st_size == 100 * 1024

    again = relay("echo", "room again")
    assert again.end() == (0, "room again\n")
    assert again.log().endswith("room again\n")


def test_a_directory_that_cannot_be_written_is_told_and_the_service_runs(
    tmp_path: Path, relay: Callable[..., Relay]
):
    code, shown = relay("echo", "served", folder=tmp_path / "none").end()
    assert code == 0
    assert shown.endswith("served\n")
    assert f"WARN log-relay: {tmp_path}/none/log cannot be written" in shown


def test_a_file_that_cannot_be_opened_gives_way(tmp_path: Path, relay: Callable[..., Relay]):
    # Root may open a file of any mode, but no directory.
    (tmp_path / "log").mkdir()
    one = relay("echo", "served")
    assert one.end() == (0, "served\n")
    assert one.log() == "served\n"
    assert (tmp_path / "log.1").is_dir()


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["true"], 0),
        (["sh", "-c", "exit 3"], 3),
        (["sh", "-c", "kill -KILL $$"], 137),
        (["no-such-program"], 127),
        (["/etc/passwd"], 126),
    ],
)
def test_the_exit_code_is_that_of_the_service(
    relay: Callable[..., Relay], command: list[str], code: int
):
    assert relay(*command).end()[0] == code


def test_lines_of_both_streams_keep_their_order_and_the_last_one_needs_no_end(
    relay: Callable[..., Relay],
):
    one = relay("sh", "-c", "echo 1; echo 2 >&2; echo 3; printf 'FATAL: why' >&2; kill -ABRT $$")
    assert one.end() == (134, "1\n2\n3\nFATAL: why")
    assert one.log() == "1\n2\n3\nFATAL: why"


@pytest.mark.parametrize("name", ["TERM", "INT", "HUP", "QUIT", "USR1", "USR2"])
def test_signals_reach_the_service(relay: Callable[..., Relay], name: str):
    one = relay(
        "bash",
        "-c",
        f"trap 'echo got {name}; exit 7' {name}; echo up; while :; do sleep 0.05; done",
    )
    assert one.console.readline() == b"up\n"
    one.process.send_signal(getattr(signal, f"SIG{name}"))
    assert one.end() == (7, f"got {name}\n")


def test_a_stop_is_over_when_the_service_has_ended_though_children_of_it_write_on(
    relay: Callable[..., Relay],
):
    one = relay(
        "bash", "-c", "(trap '' TERM; while :; do echo noise; sleep 0.01; done) & echo up; wait"
    )
    until(lambda: b"up\n" in one.console.readline())
    began = time.monotonic()
    one.process.terminate()
    assert one.process.wait(10) == 143
    assert time.monotonic() - began < 5


def test_a_service_of_a_killed_relay_is_not_left_behind_blocked(relay: Callable[..., Relay]):
    one = relay(
        "bash", "-c", "trap 'exit 9' PIPE; echo $$; while echo alive; do sleep 0.05; done; sleep 60"
    )
    service = int(one.console.readline())
    one.process.kill()
    one.process.wait()
    # In a container all processes end with the first one; here by the next line it writes.
    until(lambda: not Path(f"/proc/{service}").exists())


@pytest.mark.parametrize("size", ["20m", "20M", "20mb", "1.5g", "1000"])
def test_a_size_is_written_as_for_the_engine(tmp_path: Path, size: str):
    assert subprocess.run([RELAY, tmp_path, size, "true"], check=False).returncode == 0


@pytest.mark.parametrize("size", ["0", "20x", "-1", "m", ""])
def test_a_size_that_is_none_is_refused(tmp_path: Path, size: str):
    done = subprocess.run(
        [RELAY, tmp_path, size, "true"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 64
    assert "SIZE as in 20m" in done.stderr


def test_a_log_costs_little(tmp_path: Path):
    """Fifty MB, fast: far more than a service ever writes."""
    before = os.times()
    done = subprocess.run(
        [RELAY, tmp_path, "20m", *talker(tmp_path)], stdout=subprocess.DEVNULL, check=False
    )
    after = os.times()
    assert done.returncode == 0
    # Processor time of the relay, its writer and the service itself, for ten MiB.
    used = (
        after.children_user + after.children_system - before.children_user - before.children_system
    )
    assert used < 2
