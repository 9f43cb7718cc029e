"""The client tools of the pipeline's image, run on the machine of a driver."""

import json
import uuid
from typing import Any

import testinfra

from testing.containers import Container
from testing.topology import Instance
from testing.waiting import NotYet, wait_for

# Path of the shared directory in a tool's container; ledgers and reports are stored there.
SHARED = "/shared"


class Tools:
    """Start `kafka-metal` in containers on one machine.

    ``shared_dir``: shared directory on the machine; ``access_dir``: the tool's credentials.
    """

    def __init__(
        self, machine: testinfra.host.Host, image: str, shared_dir: str, access_dir: str
    ) -> None:
        self._machine = machine
        self._image = image
        self._shared_dir = shared_dir
        self._access_dir = access_dir

    def _client_config(self) -> list[str]:
        """Return the option with the client's configuration, if the platform has written one."""
        secured = self._machine.file(f"{self._access_dir}/client.conf").exists
        return ["--client-config=/etc/kafka-metal/client.conf"] if secured else []

    def start(self, *arguments: str) -> "Tool":
        """Start the tool with ``arguments``; it is removed at the end of its context."""
        name = f"test-{uuid.uuid4().hex[:8]}"
        self._machine.check_output(
            # User of the demo client's keys, and the group of shared directories.
            "docker run --detach --name %s --network host --user 10009:10001 --read-only "
            "--cap-drop ALL --tmpfs /tmp:exec --volume %s:%s --volume %s:/etc/kafka-metal:ro %s "
            "kafka-metal " + " ".join([*arguments, *self._client_config()]),
            name,
            self._shared_dir,
            SHARED,
            self._access_dir,
            self._image,
        )
        return Tool(self._machine, name)

    def run(self, *arguments: str, seconds: float) -> str:
        """Run the tool to its end; return its output. AssertionError if it fails."""
        with self.start(*arguments) as tool:
            return tool.finish(seconds)

    def read(self, path: str) -> dict[str, Any]:
        """Return a JSON file that a tool has written below SHARED."""
        place = path.replace(SHARED, self._shared_dir, 1)
        return json.loads(self._machine.check_output("cat %s", place))

    def forget(self, run: str) -> None:
        """Delete the files of a run below SHARED."""
        self._machine.check_output(
            "find %s -maxdepth 1 -name %s -delete", self._shared_dir, f"{run}.*"
        )


class Tool(Container):
    """A running tool; its container is removed at the end of the context."""

    def __init__(self, machine: testinfra.host.Host, name: str) -> None:
        super().__init__(machine, Instance(container=name, machine=""))

    def __enter__(self) -> "Tool":
        return self

    def __exit__(self, *_: object) -> None:
        self._machine.run("docker rm --force --volumes %s", self.name)

    @property
    def runs(self) -> bool:
        """Whether the tool still runs."""
        return bool(self.inspect()["State"]["Running"])

    def finish(self, seconds: float) -> str:
        """Wait for its end; return its output. AssertionError if it fails or takes longer."""

        def ended() -> int:
            if self.runs:
                raise NotYet(f"still running: {self.output()[-500:]}")
            return int(self.inspect()["State"]["ExitCode"])

        code = wait_for("the tool is done", ended, seconds)
        assert code == 0, f"exit code {code}:\n{self.output()[-4000:]}"
        return self.output()

    def stop(self, seconds: float) -> None:
        """End it with SIGTERM, and wait for its end."""
        self._machine.check_output("docker kill --signal TERM %s", self.name)
        wait_for("the tool is done", self.check_ended, seconds)

    def output(self) -> str:
        """Return the output of the tool so far."""
        answer = self._machine.run("docker logs %s", self.name)
        return answer.stdout + answer.stderr
