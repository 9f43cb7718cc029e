"""The scratch cluster: started empty in one of the variants, and removed completely."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, Callable, Dict, List

from . import declared, tls
from .admin import Admin, AdminError, parse_bootstrap
from .command import CommandError, run
from .plan import Plan, Side, Variant
from .storage import Storage
from .tools import log_tail

MARKER = ".kafka-metal-benchmark"
KILL_TIMEOUT_S = 20


class ClusterError(RuntimeError):
    """A cluster does not start; the message has the log tail of its broker."""


class Client:
    """The container for Kafka's tools, on the host's network, for all variants.

    It runs as long as the benchmark, so that no measurement includes the start of a container.
    """

    def __init__(self, plan: Plan) -> None:
        """Start the container; remove an earlier one."""
        self.name = f"{plan.cluster}-client"
        self.remove()
        argv = ["docker", "run", "--detach", "--name", self.name, "--network", "host", "--init"]
        argv += ["--label", f"kafka-metal.cluster={plan.cluster}", "--pull", "never"]
        if plan.access:
            argv += ["--volume", f"{plan.access}:{plan.access}:ro"]
        run([*argv, plan.client_image, "sleep", "infinity"])

    def remove(self) -> None:
        """Remove the container if it exists."""
        subprocess.run(
            ["docker", "rm", "--force", "--volumes", self.name], capture_output=True, check=False
        )


class Cluster:
    """Containers, processes and data of one benchmark, all below one directory."""

    def __init__(self, plan: Plan, log: Callable[[str], Any]) -> None:
        """Claim the directory, and remove what an interrupted run has left."""
        self.plan = plan
        self.log = log
        self.root = claim(plan.directory)
        self.data = self.root / "data"
        self.data.mkdir(exist_ok=True)
        foreign = [
            path
            for path in declared.data_directories(plan.services)
            if self.data not in Path(path).parents
        ]
        if foreign:
            raise ValueError(f"not below {self.data}, but would be deleted: {', '.join(foreign)}")
        self.storage = Storage(self.data, self.root / "disk.img")
        self.admin = Admin(parse_bootstrap(plan.bootstrap), plan.access)
        self.processes: Dict[str, subprocess.Popen[bytes]] = {}
        self.pids: List[int] = []
        self.client = Client(plan)
        self.clear()
        self.make_network()

    # -- life cycle ------------------------------------------------------------------------------

    def start(self, variant: Variant, side: Side) -> None:
        """Start a new and empty cluster; return when all brokers are registered."""
        self.clear()
        if side.storage:
            self.storage.mount(side.storage)
        keys = self.keys() if side.tls else []
        services = [declared.apply_side(service, side, keys) for service in self.plan.services]
        brokers = [each for each in services if each["kind"] == declared.BROKER]
        # The metadata service handles no records: it runs as a container in all variants.
        for service in (each for each in services if each["kind"] != declared.BROKER):
            self.run_container(service)
        for service in brokers:
            if variant.run == "process":
                self.run_process(service)
            elif variant.run == "published":
                self.run_container(declared.stock_broker(service, self.plan))
            else:
                self.run_container(service)
        try:
            self.admin.wait_for_brokers(len(brokers), lambda: self.check(brokers))
        except AdminError as error:
            tail = self.log_tail(brokers[0])
            raise ClusterError(f"{variant.title}: {error}; {tail}") from error
        self.pids = [self.pid(service) for service in brokers]

    def clear(self) -> None:
        """Kill all services and delete their data, which is not needed."""
        self.pids = []
        self.kill_processes()
        argv = ["docker", "ps", "--all", "--quiet", "--filter", "label=kafka-metal.service"]
        argv += ["--filter", f"label=kafka-metal.cluster={self.plan.cluster}"]
        found = run(argv).split()
        if found:
            run(["docker", "rm", "--force", "--volumes", *found])
        self.storage.unmount()
        for path in self.data.iterdir():
            shutil.rmtree(path)

    def close(self) -> None:
        """Clear, and remove the client, the network and all files."""
        self.clear()
        self.client.remove()
        self.remove_network()
        for name in ("bare", "config", "data", "tls"):
            shutil.rmtree(self.root / name, ignore_errors=True)

    # -- parts ----------------------------------------------------------------------------------

    def make_network(self) -> None:
        """Create the bridge network; its gateway is the address of the brokers."""
        self.remove_network()
        argv = ["docker", "network", "create", "--subnet", self.plan.subnet]
        run([*argv, "--gateway", self.plan.address, declared.network_name(self.plan)])

    def remove_network(self) -> None:
        """Remove the network if it exists."""
        subprocess.run(
            ["docker", "network", "rm", declared.network_name(self.plan)],
            capture_output=True,
            check=False,
        )

    def keys(self) -> List[Dict[str, str]]:
        """Create key files for the brokers; copy their CA to the client."""
        made = tls.make(self.root / "tls", self.plan.address)
        trusted = self.root / "tls" / tls.TRUSTED
        trusted.write_text(made[-1]["content"], encoding="utf-8")
        run(["docker", "cp", str(trusted), f"{self.client.name}:{tls.CLIENT_TRUSTED}"])
        return made

    def configuration(self, service: declared.Service) -> Path:
        """Write the files of a service and create its data directories; return the folder."""
        folder = self.root / "config" / declared.container_name(service)
        folder.mkdir(parents=True, exist_ok=True)
        for each in service["files"]:
            (folder / each["name"]).write_text(each["content"], encoding="utf-8")
        owner = int(service["definition"]["user"].split(":")[0])
        for path in declared.data_directories([service]):
            os.makedirs(path, exist_ok=True)
            os.chown(path, owner, owner)
        return folder

    def run_container(self, service: declared.Service) -> None:
        """Start a service as a container."""
        run(declared.docker_run(service, self.plan, str(self.configuration(service))))

    def run_process(self, service: declared.Service) -> None:
        """Start a service as a process of the host."""
        name = declared.container_name(service)
        rootfs = self.rootfs(name, service["definition"]["image"])
        log = (self.root / "bare" / f"{name}.log").open("wb")
        argv = declared.bare_process(service, str(rootfs), str(self.configuration(service)))
        process = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
        log.close()
        self.processes[name] = process

    def rootfs(self, name: str, image: str) -> Path:
        """Unpack the files of an image, once for each process; return the folder."""
        folder = self.root / "bare" / name
        if not folder.exists():
            folder.mkdir(parents=True)
            container = run(["docker", "create", image]).strip()
            try:
                pipe = f"docker export {container} | tar --extract --directory '{folder}'"
                run(["sh", "-c", pipe], seconds=300)
            finally:
                run(["docker", "rm", container])
        return folder

    def kill_processes(self) -> None:
        """Kill the processes of this run and of an interrupted run, by their root directory."""
        for process in self.processes.values():
            process.kill()
            process.wait()
        self.processes = {}
        for pid in stray_processes(self.root / "bare"):
            os.kill(pid, signal.SIGKILL)
        deadline = time.monotonic() + KILL_TIMEOUT_S
        while stray_processes(self.root / "bare") and time.monotonic() < deadline:
            time.sleep(0.1)

    def pid(self, service: declared.Service) -> int:
        """Return the process id of a broker on the host."""
        name = declared.container_name(service)
        if name in self.processes:
            return self.processes[name].pid
        return int(run(["docker", "inspect", "--format", "{{.State.Pid}}", name]))

    def check(self, brokers: List[declared.Service]) -> None:
        """Raise ClusterError if a broker has exited."""
        for service in brokers:
            name = declared.container_name(service)
            if name in self.processes:
                exited = self.processes[name].poll() is not None
            else:
                state = run(["docker", "inspect", "--format", "{{.State.Running}}", name])
                exited = state.strip() != "true"
            if exited:
                raise ClusterError(f"{name} has exited: {self.log_tail(service)}")

    def log_tail(self, broker: declared.Service) -> str:
        """Return the last lines of a broker's log, or the reason why it cannot be read."""
        name = declared.container_name(broker)
        log = self.root / "bare" / f"{name}.log"
        try:
            if name in self.processes:
                return log_tail(log.read_text(errors="replace"))
            return log_tail(run(["docker", "logs", "--tail", "20", name]))
        except (CommandError, OSError) as error:
            return str(error)


def claim(directory: Path) -> Path:
    """Return ``directory``, created or marked as a benchmark's: everything in it may be deleted."""
    if directory.exists() and any(directory.iterdir()) and not (directory / MARKER).exists():
        raise ValueError(
            f"{directory} is not empty and was not created by a benchmark; choose another one"
        )
    directory.mkdir(parents=True, exist_ok=True)
    (directory / MARKER).touch()
    return directory


def stray_processes(folder: Path) -> List[int]:
    """Return the processes whose root directory is below ``folder``."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            root = os.readlink(entry / "root")
        except OSError:
            continue
        if Path(root) != Path("/") and folder in Path(root).parents:
            found.append(int(entry.name))
    return found
