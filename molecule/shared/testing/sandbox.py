"""Isolation of a running container: its configuration, and its state in the kernel."""

import json
from dataclasses import dataclass, field
from typing import Any

import testinfra

from testing.cluster import Cluster

# Containers of the platform have this label with the name of their cluster; tools have not.
LABEL = "kafka-metal.cluster"


@dataclass(frozen=True)
class Sandbox:
    """A container of the platform on one machine."""

    machine: testinfra.host.Host
    name: str
    # Output of `docker inspect`.
    inspected: dict[str, Any] = field(repr=False)

    @property
    def host(self) -> dict[str, Any]:
        """Return its HostConfig."""
        return self.inspected["HostConfig"]

    @property
    def pid(self) -> int:
        """Return the current PID of its first process on the machine."""
        command = "docker inspect --format {{.State.Pid}} %s"
        return int(self.machine.check_output(command, self.name))

    @property
    def service(self) -> str:
        """Return the kind of its service, such as kafka_broker."""
        return self.inspected["Config"]["Labels"]["kafka-metal.service"]

    def status(self, key: str) -> str:
        """Return the value of a line of /proc/<pid>/status."""
        lines = self.machine.file(f"/proc/{self.pid}/status").content_string.splitlines()
        return dict(line.split(":", 1) for line in lines)[key].strip()

    def run(self, *command: str) -> testinfra.backend.base.CommandResult:
        """Run a command in the container."""
        return self.machine.run(
            "docker exec %s " + " ".join(["%s"] * len(command)), self.name, *command
        )

    def children(self) -> set[str]:
        """Return the names of the children of its first process, including zombies."""
        # `docker top` does not list zombies.
        lines = self.machine.check_output("ps -o comm= --ppid %s", str(self.pid)).splitlines()
        return {line.split()[0] for line in lines}

    def users(self) -> set[int]:
        """Return the user ids of all its processes."""
        # The engine requires the column of PIDs.
        _, *lines = self.machine.check_output("docker top %s -eo pid,uid", self.name).splitlines()
        return {int(line.split()[1]) for line in lines}


def of(cluster: Cluster) -> list[Sandbox]:
    """Return the containers of a cluster on all its machines."""
    return [
        Sandbox(machine, inspected["Name"].lstrip("/"), inspected)
        for machine in cluster.shells()
        for inspected in _inspected(machine, cluster.topology.cluster)
    ]


def _inspected(machine: testinfra.host.Host, cluster: str) -> list[dict[str, Any]]:
    """Return `docker inspect` of the cluster's containers on one machine; empty without any."""
    names = machine.check_output(f"docker ps --quiet --filter label={LABEL}={cluster}").split()
    return json.loads(machine.check_output("docker inspect " + " ".join(names))) if names else []
