"""Services do not block when no process reads their console; missing lines are counted."""

import re

from testing import consoles
from testing.cluster import Cluster
from testing.consoles import MARK, MISSING
from testing.waiting import NotYet, wait_for

# More than the relay and all pipes buffer for a console.
LINES = 55_000


def test_services_do_not_block_while_no_process_reads_their_consoles(cluster: Cluster):
    machines = {id(each): each for each in cluster.shells()}
    pids = {
        key: consoles.first_processes(each, cluster.topology.cluster)
        for key, each in machines.items()
    }
    # All instances, so every image with a service in this scenario is tested.
    assert sum(map(len, pids.values())) >= len(cluster.topology.instances)
    taken: dict[str, int] = {}

    with cluster.stream(count=6_000, rate=750) as stream:
        for key, machine in machines.items():
            shims = [consoles.parent(machine, pid) for pid in pids[key].values()]
            # The shims read the consoles. They continue before health checks fail too often.
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
            # The log file, or the rotated one, has every line.
            kept = f"cat /var/log/kafka-metal/{name}/log.1 /var/log/kafka-metal/{name}/log"
            assert int(machine.run(f"{kept} | grep --count {MARK}").stdout) >= LINES, name
    cluster.wait_until_whole()


def _check_console(machine, name: str) -> None:
    """Wait until the engine's log has all lines of the test, or the number of missing ones."""

    def complete() -> None:
        log = machine.check_output(f"docker logs --tail {2 * LINES} {name} 2>&1")
        shown = len(re.findall(rf"^{MARK} ", log, re.MULTILINE))
        missing = sum(int(count) for count in MISSING.findall(log))
        # Missing lines may also be of the service itself.
        if not LINES <= shown + missing <= LINES + 5_000:
            raise NotYet(f"{shown} lines found and {missing} counted as missing, of {LINES}")

    wait_for(f"the log of {name} has or counts every line", complete, seconds=30)
