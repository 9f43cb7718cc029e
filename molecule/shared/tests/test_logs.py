"""No service is held back when nobody reads its console, which counts what it lacks."""

import re

from testing import consoles
from testing.cluster import Cluster
from testing.consoles import MARK, MISSING
from testing.waiting import NotYet, wait_for

# More than the relay keeps for a console, and all pipes on the way.
LINES = 55_000


def test_nothing_that_a_service_writes_waits_for_a_reader_of_its_console(cluster: Cluster):
    machines = {id(each): each for each in cluster.shells()}
    pids = {
        key: consoles.first_processes(each, cluster.topology.cluster)
        for key, each in machines.items()
    }
    # What each of them runs: the test holds for every image that has a service here.
    assert sum(map(len, pids.values())) >= len(cluster.topology.instances)
    taken: dict[str, int] = {}

    with cluster.stream(count=6_000, rate=750) as stream:
        for key, machine in machines.items():
            shims = [consoles.parent(machine, pid) for pid in pids[key].values()]
            # They read the consoles. It is over before health checks have failed often enough.
            with consoles.halted(machine, shims):
                taken |= consoles.write(machine, pids[key], LINES)
        ledger = stream.finish(seconds=60)
        result = stream.verify()

    assert {name: size for name, size in taken.items() if size < LINES * 100} == {}
    assert ledger["acknowledged"] == 6_000
    assert result["lost_offsets"] == {}
    for key, machine in machines.items():
        for name in pids[key]:
            _check_console(machine, name)
            # The file has every line, the newest at its end or in the one before.
            kept = f"cat /var/log/kafka-metal/{name}/log.1 /var/log/kafka-metal/{name}/log"
            assert int(machine.run(f"{kept} | grep --count {MARK}").stdout) >= LINES, name
    cluster.wait_until_whole()


def _check_console(machine, name: str) -> None:
    """The engine's log has the first lines of the test, and how many it lacks of the others."""

    def complete() -> None:
        log = machine.check_output(f"docker logs --tail {2 * LINES} {name} 2>&1")
        shown = len(re.findall(rf"^{MARK} ", log, re.MULTILINE))
        missing = sum(int(count) for count in MISSING.findall(log))
        # Lines of the service itself may be among those that are missing.
        if not LINES <= shown + missing <= LINES + 5_000:
            raise NotYet(f"{shown} lines are there and {missing} counted, of {LINES}")

    wait_for(f"the log of {name} is complete but for what it counts", complete, seconds=30)
