"""Container engines hang for three minutes while a broker dies: writes go on.

No process reads the consoles of containers then. A broker that blocked on its console would hang as
soon as the pipe is full, and brokers log much while one of them is down.
"""

import time
from contextlib import ExitStack

import pytest
import testinfra
from testing import consoles
from testing.cluster import Cluster
from testing.consoles import MISSING
from testing.traffic import TOPIC, Traffic

HALT_SECONDS = 180
# Seconds: the session of a dead broker expires after 18 s, then other replicas lead.
LONGEST_GAP = 18 + 5
# More than services log in such an incident, and more than the relay buffers for a console.
LINES = 55_000


def readers(kind: str, machine: testinfra.host.Host, pids: dict[str, int]) -> list[int]:
    """Return the PIDs of the processes between a container's console and its log."""
    if kind == "engine":
        return [consoles.engine(machine)]
    return [consoles.parent(machine, pid) for pid in pids.values()]


@pytest.mark.parametrize("kind", ["engine", "shims"])
def test_writes_go_on_while_engines_hang_and_a_broker_dies(cluster: Cluster, kind: str):
    name = cluster.topology.cluster
    machines = cluster.shells()
    pids = [consoles.first_processes(machine, name) for machine in machines]
    victim = cluster.broker(cluster.brokers.leader_of(f"{TOPIC}-0"))
    before = victim.started()
    taken: dict[str, int] = {}

    with Traffic(cluster.topology.bootstrap, rate=300) as traffic:
        with ExitStack() as healing:
            for machine, its in zip(machines, pids, strict=True):
                halted = consoles.halted(machine, readers(kind, machine, its))
                healing.enter_context(halted)
            for machine, its in zip(machines, pids, strict=True):
                taken |= consoles.write(machine, its, LINES)
            for machine, its in zip(machines, pids, strict=True):
                if victim.name in its:
                    machine.check_output("kill -KILL %s", str(its[victim.name]))
            time.sleep(HALT_SECONDS)
            gaps = traffic.gaps()
            print(f"longest gap: {max(gaps.values()):.1f} s")
        victim.wait_until_back(before, seconds=60)
        cluster.wait_until_whole()
    result = traffic.verify()

    assert max(gaps.values()) <= LONGEST_GAP
    assert (result.lost, result.errors) == ([], {})
    assert {container: size for container, size in taken.items() if size < LINES * 100} == {}
    for machine, its in zip(machines, pids, strict=True):
        for container in its:
            log = machine.check_output("docker logs %s 2>&1", container)
            assert MISSING.search(log) or container == victim.name, container
