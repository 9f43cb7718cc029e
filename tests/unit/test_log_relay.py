"""The log relay never blocks a service, and counts lost lines."""

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
# Writes ten MiB in numbered lines of 100 bytes, then creates a file.
WRITER = """
import pathlib, sys, time
print(0, flush=True)
if "wait" in sys.argv:
    sys.stdin.readline()
for number in range(1, 104_858):
    print(f"{number:099d}")
    # Faster than any service, but not faster than two processes can read on a busy machine.
    if number % 1000 == 0:
        time.sleep(0.002)
sys.stdout.flush()
pathlib.Path(sys.argv[1]).touch()
if "stay" in sys.argv:
    sys.stdin.read()
"""
LAST = f"{LINES - 1:099d}\n"


def until(condition: Callable[[], object], seconds: float = 15) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the condition did not become true"
        time.sleep(0.02)


class Relay:
    """The relay; only the test reads its console."""

    def __init__(self, folder: Path, *command: str, size: str = "20m") -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            # A background shell ignores INT and QUIT, and the relay would inherit that.
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
        """Close its input; return its exit code and the rest of the console."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        output = self.console.read().decode()
        return self.process.wait(seconds), output


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


def writer_command(tmp_path: Path, *then: str) -> list[str]:
    return [sys.executable, "-c", WRITER, str(tmp_path / "done"), *then]


def missing_lines(text: str) -> int:
    """Return the number of missing lines; assert that all lines are in order or counted."""
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


def test_an_unread_console_does_not_block_and_counts_missing_lines(
    tmp_path: Path, relay: Callable[..., Relay]
):
    one = relay(*writer_command(tmp_path, "stay"))
    until((tmp_path / "done").exists)
    until(lambda: one.log().endswith(LAST))
    assert one.process.poll() is None

    code, output = one.end()

    assert code == 0
    assert missing_lines(output) > LINES // 2
    assert MISSING.search(output)[1] == "console"
    assert missing_lines(one.log()) == 0


def test_the_end_of_a_service_does_not_wait_for_a_reader(
    tmp_path: Path, relay: Callable[..., Relay]
):
    one = relay(*writer_command(tmp_path))
    # With two outputs the time limit is two seconds each.
    assert one.process.wait(15) == 0
    assert one.log().endswith(LAST)


def test_a_closed_console_does_not_end_the_service(tmp_path: Path, relay: Callable[..., Relay]):
    one = relay(*writer_command(tmp_path, "stay"))
    one.console.close()
    until(lambda: (tmp_path / "log").exists() and one.log().endswith(LAST))
    assert one.process.poll() is None


@contextlib.contextmanager
def hung(file: Path) -> Iterator[int]:
    """Stop the process that writes the file, as if its disk hung; yield its PID."""
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


def test_a_hung_disk_does_not_block_and_missing_lines_are_counted_in_the_file(
    tmp_path: Path, relay: Callable[..., Relay]
):
    one = relay(*writer_command(tmp_path, "wait", "stay"))
    with hung(tmp_path / "log"):
        assert one.process.stdin is not None
        one.process.stdin.write(b"\n")
        one.process.stdin.flush()
        output = [one.console.readline() for _ in range(LINES)]
    assert output[-1].decode() == LAST
    until(lambda: MISSING.search(one.log()))

    assert missing_lines(one.log()) > LINES // 4
    assert MISSING.search(one.log())[1] == "file"


def test_a_killed_writer_of_the_file_is_replaced(tmp_path: Path, relay: Callable[..., Relay]):
    one = relay("sh", "-c", "n=0; while sleep 0.1; do echo $n; n=$((n+1)); done")
    with hung(tmp_path / "log") as writer:
        os.kill(writer, signal.SIGKILL)
    before = one.log()
    until(lambda: one.log() != before)


def test_a_log_has_at_most_two_files_of_the_size(tmp_path: Path, relay: Callable[..., Relay]):
    for _ in range(2):
        one = relay(*writer_command(tmp_path), size="1m")
        assert one.end()[0] == 0
    assert {each.name for each in tmp_path.iterdir()} == {"log", "log.1", "done"}
    assert (tmp_path / "log").stat().st_size <= MIB
    assert MIB - 70_000 <= (tmp_path / "log.1").stat().st_size <= MIB
    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o640
    # Newest lines last, none missing between the files.
    numbers = [int(line) for line in (one.log("log.1") + one.log()).splitlines()[1:]]
    assert numbers == list(range(numbers[0], LINES))


def test_a_service_that_restarts_repeatedly_does_not_fill_the_disk(
    tmp_path: Path, relay: Callable[..., Relay]
):
    for _ in range(8):
        assert relay("head", "--bytes=400", "/dev/zero", size="1k").end()[0] == 0
    assert sorted(each.stat().st_size for each in tmp_path.iterdir()) == [800, 800]


def test_full_disk_does_not_block_and_writing_resumes_with_free_space(
    tmp_path: Path, relay: Callable[..., Relay]
):
    # A limit of file sizes fails like a full disk, except for the signal.
    script = "trap '' XFSZ; ulimit -S -f 100; exec \"$@\""
    one = subprocess.Popen(
        ["bash", "-c", script, "-", RELAY, tmp_path, "20m", *writer_command(tmp_path)],
        stdout=subprocess.PIPE,
    )
    output = one.communicate(timeout=15)[0]
    assert one.returncode == 0
    assert output.count(b"\n") == LINES
    assert (tmp_path / "log").stat().st_size == 100 * 1024

    again = relay("echo", "room again")
    assert again.end() == (0, "room again\n")
    assert again.log().endswith("room again\n")


def test_an_unwritable_directory_is_reported_and_the_service_runs(
    tmp_path: Path, relay: Callable[..., Relay]
):
    code, output = relay("echo", "served", folder=tmp_path / "none").end()
    assert code == 0
    assert output.endswith("served\n")
    assert f"WARN log-relay: {tmp_path}/none/log cannot be written" in output


def test_a_file_that_cannot_be_opened_is_moved_away(tmp_path: Path, relay: Callable[..., Relay]):
    # Root can open a file of any mode, so a directory is used.
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


def test_lines_of_both_streams_keep_their_order_and_the_last_needs_no_newline(
    relay: Callable[..., Relay],
):
    one = relay("sh", "-c", "echo 1; echo 2 >&2; echo 3; printf 'FATAL: why' >&2; kill -ABRT $$")
    assert one.end() == (134, "1\n2\n3\nFATAL: why")
    assert one.log() == "1\n2\n3\nFATAL: why"


@pytest.mark.parametrize("name", ["TERM", "INT", "HUP", "QUIT", "USR1", "USR2"])
def test_signals_are_forwarded_to_the_service(relay: Callable[..., Relay], name: str):
    one = relay(
        "bash",
        "-c",
        f"trap 'echo got {name}; exit 7' {name}; echo up; while :; do sleep 0.05; done",
    )
    assert one.console.readline() == b"up\n"
    one.process.send_signal(getattr(signal, f"SIG{name}"))
    assert one.end() == (7, f"got {name}\n")


def test_a_stop_ends_with_the_service_although_its_children_still_write(
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


def test_the_service_of_a_killed_relay_does_not_stay_blocked(relay: Callable[..., Relay]):
    one = relay(
        "bash", "-c", "trap 'exit 9' PIPE; echo $$; while echo alive; do sleep 0.05; done; sleep 60"
    )
    service = int(one.console.readline())
    one.process.kill()
    one.process.wait()
    # In a container all processes end with the first one; here the next write ends the service.
    until(lambda: not Path(f"/proc/{service}").exists())


@pytest.mark.parametrize("size", ["20m", "20M", "20mb", "1.5g", "1000"])
def test_sizes_have_the_format_of_the_engine(tmp_path: Path, size: str):
    assert subprocess.run([RELAY, tmp_path, size, "true"], check=False).returncode == 0


@pytest.mark.parametrize("size", ["0", "20x", "-1", "m", ""])
def test_an_invalid_size_is_refused(tmp_path: Path, size: str):
    done = subprocess.run(
        [RELAY, tmp_path, size, "true"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 64
    assert "SIZE as in 20m" in done.stderr


def test_a_log_needs_little_cpu_time(tmp_path: Path):
    """Ten MiB at once are far more than a service writes."""
    before = os.times()
    done = subprocess.run(
        [RELAY, tmp_path, "20m", *writer_command(tmp_path)], stdout=subprocess.DEVNULL, check=False
    )
    after = os.times()
    assert done.returncode == 0
    # Processor time of the relay, its writer and the service itself, for ten MiB.
    used = (
        after.children_user + after.children_system - before.children_user - before.children_system
    )
    assert used < 2
