"""The platform under test: its parts, its health as a whole, and faults to inject."""

import re
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import testinfra

from testing import access, playbooks, zookeeper
from testing.brokers import Brokers
from testing.containers import Container
from testing.streams import TOPIC, Stream
from testing.tools import Tools
from testing.topology import Instance, Topology
from testing.waiting import NotYet, wait_for

# A killed broker waits for its old registration (18 s), recovers its log and fetches what it lacks.
HEAL_SECONDS = 180


class Cluster:
    """One object per test session; ``connect`` gives the shell of a machine by its name."""

    def __init__(self, topology: Topology, connect: Callable[[str], testinfra.host.Host]) -> None:
        self.topology = topology
        self._connect = connect
        self.brokers = Brokers(topology.bootstrap)
        # Whether the tools have been given their way in by this session.
        self._tools_have_access = False

    def machine(self, instance: Instance) -> testinfra.host.Host:
        """Shell of the machine that carries an instance."""
        return self._connect(instance.machine)

    def shell(self, machine: str) -> testinfra.host.Host:
        """A shell of a machine by its name."""
        return self._connect(machine)

    def shells(self) -> list[testinfra.host.Host]:
        """A shell of each machine."""
        return [self._connect(name) for name in dict.fromkeys(self.topology.machines)]

    def container(self, instance: Instance) -> Container:
        """Container of an instance."""
        return Container(self.machine(instance), instance)

    def broker(self, broker: int) -> Container:
        """Container of a broker."""
        return self.container(self.topology.brokers[broker])

    def operator_access(self, broker: int) -> tuple[str, str]:
        """The way in on every broker's host: an address, and a file in the container."""
        machine = self.machine(self.topology.brokers[broker])
        file = "/etc/kafka/server.properties"
        text = machine.check_output("docker exec %s cat %s", self.broker(broker).name, file)
        found = re.search(r"^advertised\.listeners=.*\bBROKERS://([^,\s]+)", text, re.MULTILINE)
        assert found, text
        return found[1], "/etc/kafka/operator.properties"

    def tool(self, words: str) -> str:
        """What a tool of Kafka prints in the container of broker 1; AssertionError if it fails."""
        name = self.broker(1).name
        machine = self.machine(self.topology.brokers[1])
        return machine.check_output(f"docker exec {name} {words} 2>&1")

    def zookeeper_leader(self) -> int:
        """Id of the leader of the whole ensemble; NotYet while there is none."""
        return zookeeper.leader(self.topology.zookeepers)

    def _check_whole(self) -> None:
        """Raise NotYet with everything that is missing."""
        if self.topology.zookeepers:
            self.zookeeper_leader()
        missing = set(self.topology.brokers) - self.brokers.registered()
        if missing:
            raise NotYet(f"brokers not registered: {sorted(missing)}")
        behind = self.brokers.under_replicated()
        if behind:
            raise NotYet(f"{len(behind)} partitions under-replicated, such as {behind[:3]}")
        # A broker that has just died stays registered, and in sync, until its session expires.
        for instance in self.topology.instances:
            self.container(instance).check_health()

    def wait_until_whole(self, seconds: float = HEAL_SECONDS) -> None:
        """Wait until every server, broker, replica and container is there."""
        wait_for("the platform is whole", self._check_whole, seconds, every=1)

    def driver(self, pipeline: str = "payments") -> Container:
        """Container of a pipeline's driver."""
        return self.container(self.topology.drivers[pipeline])

    def tools(self) -> Tools:
        """The client tools, on the machine of the first driver."""
        instance = next(iter(self.topology.drivers.values()))
        image = self.container(instance).inspect()["Config"]["Image"]
        if access.folder and not self._tools_have_access:
            # A platform that has not demonstrated itself yet, or has other keys since.
            playbooks.run("demo", "--tags", "access")
            self._tools_have_access = True
        access_dir = f"/etc/kafka-metal/{self.topology.cluster}-demo"
        return Tools(self.machine(instance), image, self.topology.shared_dir, access_dir)

    def forget_tool_access(self) -> None:
        """Keys and passwords were made anew: the tools need theirs."""
        self._tools_have_access = False

    @contextmanager
    def stream(self, count: int, rate: int) -> Iterator[Stream]:
        """A stream of payments whose first second has arrived when the body begins."""
        before = self.brokers.end(TOPIC)
        with Stream(self.tools(), self.topology.bootstrap, f"test-{uuid.uuid4().hex[:8]}") as run:
            run.start(count, rate)

            def arrived() -> None:
                more = self.brokers.end(TOPIC) - before
                if more < rate:
                    assert run.runs, f"the sender ended: {run.output_tail()}"
                    raise NotYet(f"{more} payments; the sender said: {run.output_tail()}")

            wait_for(f"{rate} payments are in the log", arrived, seconds=60)
            yield run

    def stream_during_fault(
        self, fault: AbstractContextManager[None], fault_seconds: float, finish_seconds: float
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Ledger and account of 60,000 payments in two minutes, of which a fault lasts so long."""
        with self.stream(count=60_000, rate=500) as stream:
            with fault:
                # The fault itself: what is asked is what happens in so long a time.
                time.sleep(fault_seconds)
            assert stream.runs, "the stream was over before the fault was"
            ledger = stream.finish(finish_seconds)
            self.wait_until_whole(HEAL_SECONDS)
            result = stream.verify()
        print(f"longest gap: {ledger['longest_gap_seconds']:.1f} s")
        return ledger, result

    def stream_during_kill(self, victim: Container) -> dict[str, Any]:
        """Ledger of 30,000 payments, in the middle of which a container of Spark is killed.

        AssertionError unless the archive holds each accepted payment exactly once.
        """
        with self.stream(count=30_000, rate=1000) as stream:
            before = victim.kill()
            assert stream.runs, f"the stream was over before {victim.name} died"
            ledger = stream.finish(seconds=120)
            victim.wait_until_back(before, HEAL_SECONDS)
            stream.reconcile()
        return ledger
