"""The platform under test: its instances, its health, and streams of payments during faults."""

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

# A killed broker waits for its old registration (18 s), recovers its log and catches up.
HEAL_SECONDS = 180


class Cluster:
    """One object per test session; ``connect`` returns the shell of a machine by its name."""

    def __init__(self, topology: Topology, connect: Callable[[str], testinfra.host.Host]) -> None:
        self.topology = topology
        self._connect = connect
        self.brokers = Brokers(topology.bootstrap)
        # Whether this session has created credentials for the tools.
        self._tools_have_access = False

    def machine(self, instance: Instance) -> testinfra.host.Host:
        """Return the shell of an instance's machine."""
        return self._connect(instance.machine)

    def shell(self, machine: str) -> testinfra.host.Host:
        """Return the shell of a machine by its name."""
        return self._connect(machine)

    def shells(self) -> list[testinfra.host.Host]:
        """Return a shell of each machine."""
        return [self._connect(name) for name in dict.fromkeys(self.topology.machines)]

    def container(self, instance: Instance) -> Container:
        """Return the container of an instance."""
        return Container(self.machine(instance), instance)

    def broker(self, broker: int) -> Container:
        """Return the container of a broker."""
        return self.container(self.topology.brokers[broker])

    def operator_access(self, broker: int) -> tuple[str, str]:
        """Return the operator's address of a broker, and the client file in its container."""
        machine = self.machine(self.topology.brokers[broker])
        file = "/etc/kafka/server.properties"
        text = machine.check_output("docker exec %s cat %s", self.broker(broker).name, file)
        found = re.search(r"^advertised\.listeners=.*\bBROKERS://([^,\s]+)", text, re.MULTILINE)
        assert found, text
        return found[1], "/etc/kafka/operator.properties"

    def tool(self, command: str) -> str:
        """Return the output of a tool in the container of broker 1; AssertionError if it fails."""
        name = self.broker(1).name
        machine = self.machine(self.topology.brokers[1])
        return machine.check_output(f"docker exec {name} {command} 2>&1")

    def zookeeper_leader(self) -> int:
        """Return the leader's id in the complete ZooKeeper ensemble; NotYet while there is none."""
        return zookeeper.leader(self.topology.zookeepers)

    def _check_whole(self) -> None:
        """Raise NotYet with the first fault of the platform."""
        if self.topology.zookeepers:
            self.zookeeper_leader()
        missing = set(self.topology.brokers) - self.brokers.registered()
        if missing:
            raise NotYet(f"brokers not registered: {sorted(missing)}")
        lagging = self.brokers.under_replicated()
        if lagging:
            raise NotYet(f"{len(lagging)} partitions under-replicated, such as {lagging[:3]}")
        # A broker that has just died stays registered, and in sync, until its session expires.
        for instance in self.topology.instances:
            self.container(instance).check_health()

    def wait_until_whole(self, seconds: float = HEAL_SECONDS) -> None:
        """Wait until every server, broker, replica and container is healthy."""
        wait_for("the platform is healthy", self._check_whole, seconds, every=1)

    def driver(self, pipeline: str = "payments") -> Container:
        """Return the container of a pipeline's driver."""
        return self.container(self.topology.drivers[pipeline])

    def tools(self) -> Tools:
        """Return the client tools, on the machine of the first driver."""
        instance = next(iter(self.topology.drivers.values()))
        image = self.container(instance).inspect()["Config"]["Image"]
        if access.folder and not self._tools_have_access:
            # `make demo` has not run yet, or keys have been replaced since.
            playbooks.run("demo", "--tags", "access")
            self._tools_have_access = True
        access_dir = f"/etc/kafka-metal/{self.topology.cluster}-demo"
        return Tools(self.machine(instance), image, self.topology.shared_dir, access_dir)

    def forget_tool_access(self) -> None:
        """Create credentials for the tools again before their next use: keys were replaced."""
        self._tools_have_access = False

    @contextmanager
    def stream(self, count: int, rate: int) -> Iterator[Stream]:
        """Yield a stream of payments after the payments of its first second are in the log."""
        before = self.brokers.end(TOPIC)
        with Stream(self.tools(), self.topology.bootstrap, f"test-{uuid.uuid4().hex[:8]}") as run:
            run.start(count, rate)

            def arrived() -> None:
                more = self.brokers.end(TOPIC) - before
                if more < rate:
                    assert run.runs, f"the sender ended: {run.output_tail()}"
                    raise NotYet(f"{more} payments; the sender printed: {run.output_tail()}")

            wait_for(f"{rate} payments are in the log", arrived, seconds=60)
            yield run

    def stream_during_fault(
        self, fault: AbstractContextManager[None], fault_seconds: float, finish_seconds: float
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Send 60,000 payments in two minutes, with a fault of ``fault_seconds``.

        Return the ledger of the sender and the result of its verification.
        """
        with self.stream(count=60_000, rate=500) as stream:
            with fault:
                # The duration of the fault is part of the test.
                time.sleep(fault_seconds)
            assert stream.runs, "the stream was over before the fault was"
            ledger = stream.finish(finish_seconds)
            self.wait_until_whole(HEAL_SECONDS)
            result = stream.verify()
        print(f"longest gap: {ledger['longest_gap_seconds']:.1f} s")
        return ledger, result

    def stream_during_kill(self, victim: Container) -> dict[str, Any]:
        """Send 30,000 payments and kill a container of Spark meanwhile; return the ledger.

        AssertionError unless the archive holds each accepted payment exactly once.
        """
        with self.stream(count=30_000, rate=1000) as stream:
            before = victim.kill()
            assert stream.runs, f"the stream was over before {victim.name} died"
            ledger = stream.finish(seconds=120)
            victim.wait_until_back(before, HEAL_SECONDS)
            stream.reconcile()
        return ledger
