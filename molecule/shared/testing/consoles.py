"""Write to the consoles of services, and stop the processes that read them."""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import testinfra

# Line that the log relay writes in place of missing lines.
MISSING = re.compile(r"WARN log-relay: console: (\d+) lines \(\d+ bytes\) are missing here")
# Prefix of each line that a test writes to a service's standard output.
MARK = "console-test"
# Arguments: number of lines, PIDs of containers' first processes. Writes lines of 100 bytes to the
# standard output of each service without blocking. Prints the bytes written for each service, when
# all are written or none for two seconds. A service is a child of the init process or of the relay.
WRITER = f"""
import os, pathlib, sys, time
count, *pids = map(int, sys.argv[1:])
lines = "".join(f"{MARK} {{number:086d}}\\n" for number in range(count)).encode()
name = lambda pid: pathlib.Path(f"/proc/{{pid}}/comm").read_text().strip()
def children(pid):
    text = pathlib.Path(f"/proc/{{pid}}/task/{{pid}}/children").read_text()
    return [int(each) for each in text.split()]
def service(pid):
    pid = children(pid)[0]
    if name(pid) == "log-relay":
        pid = [each for each in children(pid) if name(each) != "log-relay"][0]
    return pid
for pid in pids:
    out = os.open(f"/proc/{{service(pid)}}/fd/1", os.O_WRONLY | os.O_NONBLOCK)
    taken, last = 0, time.monotonic()
    while taken < len(lines) and time.monotonic() < last + 2:
        try:
            taken += os.write(out, lines[taken : taken + 4000])
            last = time.monotonic()
        except BlockingIOError:
            time.sleep(0.01)
    os.close(out)
    print(taken)
"""


def first_processes(machine: testinfra.host.Host, cluster: str) -> dict[str, int]:
    """Return the PID of each running container of a cluster on the machine, by its name."""
    names = machine.check_output(
        "docker ps --quiet --filter label=kafka-metal.cluster=%s", cluster
    ).split()
    if not names:
        return {}
    inspected = json.loads(machine.check_output("docker inspect " + " ".join(names)))
    return {each["Name"].lstrip("/"): int(each["State"]["Pid"]) for each in inspected}


def write(machine: testinfra.host.Host, pids: dict[str, int], lines: int) -> dict[str, int]:
    """Write lines of 100 bytes as each service; return the number of bytes written by container."""
    words = " ".join(str(pid) for pid in pids.values())
    taken = machine.check_output(f"python3 -c %s %s {words}", WRITER, str(lines)).split()
    return dict(zip(pids, map(int, taken), strict=True))


def parent(machine: testinfra.host.Host, pid: int) -> int:
    """Return the PID of the parent; of a container's first process that is the engine's shim."""
    return int(machine.check_output("ps -o ppid= -p %s", str(pid)))


def engine(machine: testinfra.host.Host) -> int:
    """Return the PID of the container engine."""
    return int(machine.check_output("pgrep --oldest --exact dockerd"))


@contextmanager
def halted(machine: testinfra.host.Host, pids: Iterable[int]) -> Iterator[None]:
    """Stop processes (SIGSTOP), and continue them at the end."""
    words = " ".join(str(pid) for pid in pids)
    machine.check_output(f"kill -STOP {words}")
    try:
        yield
    finally:
        machine.check_output(f"kill -CONT {words}")
