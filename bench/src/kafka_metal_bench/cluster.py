"""The scratch cluster: started empty in one of its ways, and taken away without a trace."""

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
PROGRAMS_DIE_WITHIN = 20


class ClusterError(RuntimeError):
    """A cluster does not start; says what its broker said last."""


class Client:
    """The container that tools run in, on the host's network: the same for every variant.

    It lives as long as the run, so that no measurement waits for a container to start.
    """

    def __init__(self, plan: Plan) -> None:
        """Start it anew."""
        self.name = f"{plan.cluster}-client"
        self.remove()
        argv = ["docker", "run", "--detach", "--name", self.name, "--network", "host", "--init"]
        argv += ["--label", f"kafka-metal.cluster={plan.cluster}", "--pull", "never"]
        if plan.access:
            argv += ["--volume", f"{plan.access}:{plan.access}:ro"]
        run([*argv, plan.client_image, "sleep", "infinity"])

    def remove(self) -> None:
        """Without a word when there is none."""
        subprocess.run(
            ["docker", "rm", "--force", "--volumes", self.name], capture_output=True, check=False
        )


class Cluster:
    """Containers, processes and data of one benchmark; everything is below one directory."""

    def __init__(self, plan: Plan, say: Callable[[str], Any]) -> None:
        """Take possession of the directory, and clear what an interrupted run has left."""
        self.plan = plan
        self.say = say
        self.root = own(plan.directory)
        self.data = self.root / "data"
        self.data.mkdir(exist_ok=True)
        foreign = [
            path
            for path in declared.data_directories(plan.services)
            if self.data not in Path(path).parents
        ]
        if foreign:
            raise ValueError(f"not below {self.data}, and would be deleted: {', '.join(foreign)}")
        self.storage = Storage(self.data, self.root / "disk.img")
        self.admin = Admin(parse_bootstrap(plan.bootstrap), plan.access)
        self.processes: Dict[str, subprocess.Popen[bytes]] = {}
        self.pids: List[int] = []
        self.client = Client(plan)
        self.clear()
        self.make_network()

    # -- its life ------------------------------------------------------------------------------

    def start(self, variant: Variant, side: Side) -> None:
        """A new and empty cluster, ready to take records."""
        self.clear()
        if side.storage:
            self.storage.mount(side.storage)
        keys = self.keys() if side.tls else []
        services = [declared.changed(service, side, keys) for service in self.plan.services]
        brokers = [each for each in services if each["kind"] == declared.BROKER]
        # What brokers need runs in the same way in every variant: it moves no records.
        for service in (each for each in services if each["kind"] != declared.BROKER):
            self.run_container(service)
        for service in brokers:
            if variant.run == "process":
                self.run_process(service)
            elif variant.run == "published":
                self.run_container(declared.stock(service, self.plan))
            else:
                self.run_container(service)
        try:
            self.admin.wait_for_brokers(len(brokers), lambda: self.check(brokers))
        except AdminError as error:
            words = self.log_tail(brokers[0])
            raise ClusterError(f"{variant.title}: {error}; {words}") from error
        self.pids = [self.pid(service) for service in brokers]

    def clear(self) -> None:
        """Kill what runs and delete its data. Nothing of it is worth a graceful stop."""
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
        """Clear, and take away client, network and files."""
        self.clear()
        self.client.remove()
        self.remove_network()
        for name in ("bare", "config", "data", "tls"):
            shutil.rmtree(self.root / name, ignore_errors=True)

    # -- its parts -----------------------------------------------------------------------------

    def make_network(self) -> None:
        """The bridge network, whose gateway is the address that brokers have."""
        self.remove_network()
        argv = ["docker", "network", "create", "--subnet", self.plan.subnet]
        run([*argv, "--gateway", self.plan.address, declared.network_name(self.plan)])

    def remove_network(self) -> None:
        """Without a word when there is none."""
        subprocess.run(
            ["docker", "network", "rm", declared.network_name(self.plan)],
            capture_output=True,
            check=False,
        )

    def keys(self) -> List[Dict[str, str]]:
        """Files with which brokers encrypt; the client gets what it trusts."""
        made = tls.make(self.root / "tls", self.plan.address)
        trusted = self.root / "tls" / tls.TRUSTED
        trusted.write_text(made[-1]["content"], encoding="utf-8")
        run(["docker", "cp", str(trusted), f"{self.client.name}:{tls.CLIENT_TRUSTED}"])
        return made

    def configuration(self, service: declared.Service) -> Path:
        """Write the files of a service, and make its data directories."""
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
        """The files of an image, unpacked once for each process."""
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
        """Ours of this run, what they started, and those of an interrupted one: by their root."""
        for process in self.processes.values():
            process.kill()
            process.wait()
        self.processes = {}
        for pid in strays(self.root / "bare"):
            os.kill(pid, signal.SIGKILL)
        deadline = time.monotonic() + PROGRAMS_DIE_WITHIN
        while strays(self.root / "bare") and time.monotonic() < deadline:
            time.sleep(0.1)

    def pid(self, service: declared.Service) -> int:
        """Process id of a broker, on the host."""
        name = declared.container_name(service)
        if name in self.processes:
            return self.processes[name].pid
        return int(run(["docker", "inspect", "--format", "{{.State.Pid}}", name]))

    def check(self, brokers: List[declared.Service]) -> None:
        """Raise when a broker has ended instead of starting."""
        for service in brokers:
            name = declared.container_name(service)
            if name in self.processes:
                ended = self.processes[name].poll() is not None
            else:
                state = run(["docker", "inspect", "--format", "{{.State.Running}}", name])
                ended = state.strip() != "true"
            if ended:
                raise ClusterError(f"{name} has ended: {self.log_tail(service)}")

    def log_tail(self, broker: declared.Service) -> str:
        """What a broker said last."""
        name = declared.container_name(broker)
        log = self.root / "bare" / f"{name}.log"
        try:
            if name in self.processes:
                return log_tail(log.read_text(errors="replace"))
            return log_tail(run(["docker", "logs", "--tail", "20", name]))
        except (CommandError, OSError) as error:
            return str(error)


def own(directory: Path) -> Path:
    """``directory``, made or recognised as a benchmark's own: everything in it may be deleted."""
    if directory.exists() and any(directory.iterdir()) and not (directory / MARKER).exists():
        raise ValueError(f"{directory} is not empty and no benchmark has made it; name another")
    directory.mkdir(parents=True, exist_ok=True)
    (directory / MARKER).touch()
    return directory


def strays(folder: Path) -> List[int]:
    """Processes whose root directory lies below ``folder``."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            root = os.readlink(entry / "root")
        except OSError:
            continue
        if Path(root) != Path("/") and folder in Path(root).parents:
            found.append(int(entry.name))
    return found
