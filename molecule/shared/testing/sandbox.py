"""What encloses a running container: as the engine was told, and as the kernel has it."""

import json
from dataclasses import dataclass, field
from typing import Any

import testinfra

from testing.cluster import Cluster

# A container of ours carries the name of its cluster; health checks and tools have none.
LABEL = "kafka-metal.cluster"


@dataclass(frozen=True)
class Sandbox:
    """A container of the platform on one machine."""

    machine: testinfra.host.Host
    name: str
    # As `docker inspect` gives it.
    inspected: dict[str, Any] = field(repr=False)

    @property
    def host(self) -> dict[str, Any]:
        """What binds it to its machine."""
        return self.inspected["HostConfig"]

    @property
    def pid(self) -> int:
        """Process id of its first process on the machine, as it is now: it may restart."""
        command = "docker inspect --format {{.State.Pid}} %s"
        return int(self.machine.check_output(command, self.name))

    @property
    def service(self) -> str:
        """Kind of the service in it, such as kafka_broker."""
        return self.inspected["Config"]["Labels"]["kafka-metal.service"]

    def status(self, key: str) -> str:
        """A line of /proc/<pid>/status."""
        lines = self.machine.file(f"/proc/{self.pid}/status").content_string.splitlines()
        return dict(line.split(":", 1) for line in lines)[key].strip()

    def run(self, *command: str) -> testinfra.backend.base.CommandResult:
        """Run a command in it."""
        return self.machine.run(
            "docker exec %s " + " ".join(["%s"] * len(command)), self.name, *command
        )

    def children(self) -> set[str]:
        """Names of children of its first process, of dead ones too that it takes no leave of."""
        # The engine's own list has no dead ones.
        lines = self.machine.check_output("ps -o comm= --ppid %s", str(self.pid)).splitlines()
        return {line.split()[0] for line in lines}

    def users(self) -> set[int]:
        """User ids of all its processes."""
        # The engine wants to see the PIDs.
        _, *lines = self.machine.check_output("docker top %s -eo pid,uid", self.name).splitlines()
        return {int(line.split()[1]) for line in lines}


def of(cluster: Cluster) -> list[Sandbox]:
    """Every container of a cluster, on all its machines."""
    return [
        Sandbox(machine, inspected["Name"].lstrip("/"), inspected)
        for machine in cluster.shells()
        for inspected in _inspected(machine, cluster.topology.cluster)
    ]


def _inspected(machine: testinfra.host.Host, cluster: str) -> list[dict[str, Any]]:
    """Containers of one machine; none is no error."""
    names = machine.check_output(f"docker ps --quiet --filter label={LABEL}={cluster}").split()
    return json.loads(machine.check_output("docker inspect " + " ".join(names))) if names else []
