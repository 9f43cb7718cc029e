"""A container on one of the machines, inspected and killed from the machine's shell."""

import json
from typing import Any

import testinfra

from testing.topology import Instance
from testing.waiting import NotYet, wait_for


class Container:
    """A container, through the docker command of its machine."""

    def __init__(self, machine: testinfra.host.Host, instance: Instance) -> None:
        self._machine = machine
        self.name = instance.container

    def inspect(self) -> dict[str, Any]:
        """Return `docker inspect` of the container; NotYet while it does not exist."""
        answer = self._machine.run("docker inspect --type container %s", self.name)
        if answer.rc != 0:
            raise NotYet(f"{self.name}: {answer.stderr.strip()}")
        return json.loads(answer.stdout)[0]

    def _running(self) -> dict[str, Any]:
        """Return the state of the container; NotYet while it does not run."""
        state = self.inspect()["State"]
        if not state["Running"]:
            raise NotYet(f"{self.name} is {state['Status']}, exit code {state['ExitCode']}")
        return state

    def started(self) -> str:
        """Return the time of the last start; NotYet while the container does not run."""
        return self._running()["StartedAt"]

    def check_health(self) -> None:
        """Raise NotYet unless the container runs and its health check, if any, succeeds."""
        health = self._running().get("Health", {}).get("Status", "healthy")
        if health != "healthy":
            raise NotYet(f"{self.name} is {health}")

    def check_ended(self) -> None:
        """Raise NotYet while the container runs."""
        if self.inspect()["State"]["Running"]:
            raise NotYet(f"{self.name} runs")

    def log_excerpt(self, text: str, lines: int = 15) -> str:
        """Return the first line of the container's log with this text and ``lines`` after it."""
        command = "docker logs %s 2>&1 | grep --max-count=1 --after-context=%s -- %s"
        return self._machine.run(command, self.name, str(lines), text).stdout

    def lines(self, pattern: str, seconds: int) -> str:
        """Return log lines of the last seconds that match an extended regular expression."""
        command = "docker logs --since %ss %s 2>&1 | grep --extended-regexp -- %s"
        return self._machine.run(command, str(seconds), self.name, pattern).stdout

    def kill(self) -> str:
        """Kill the main process as a crash does; return the time of its start.

        After `docker kill` the engine would not restart the container.
        """
        before = self.started()
        self.kill_process(self.inspect()["State"]["Pid"])
        return before

    def processes(self, text: str) -> dict[int, str]:
        """Return command lines in the container with this text, by their PIDs on the machine."""
        lines = self._machine.check_output("docker top %s -eo pid,args", self.name).splitlines()
        found = (line.split(maxsplit=1) for line in lines[1:])
        return {int(pid): args for pid, args in found if text in args}

    def kill_process(self, pid: int) -> None:
        """Kill one of its processes as a crash does."""
        self._machine.check_output("kill -KILL %s", str(pid))

    def wait_until_back(self, before: str, seconds: float) -> None:
        """Wait until the engine has restarted the container; ``before`` is the earlier start."""

        def started_again() -> None:
            if self.started() == before:
                raise NotYet(f"{self.name} has run since {before}")

        wait_for(f"{self.name} runs again", started_again, seconds)
