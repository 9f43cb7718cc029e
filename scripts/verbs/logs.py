"""The log of one service: from the engine of this machine, else by Ansible."""

import shutil
import subprocess

from verbs.run import ANSWER, play, quiet_sudo, site, wait
from verbs.values import named, refuse, value

# Seconds for the engine of this machine. One that hangs never answers; then the file is read.
ANSWER_S = 5
# Exit code of `timeout` when it has ended its command.
TIMED_OUT = 124


def logs() -> int:
    """The log of one service, followed when it runs on this machine."""
    if not value("S"):
        refuse("which service? make logs S=kafka1")
    service = named("S")
    if follow := command_here(site("internal_state").cluster, service):
        return wait(follow)
    return play("logs", variables={"logs_service": service}, callback=ANSWER)


def command_here(cluster: str, service: str) -> list[str]:
    """The command that follows the service's container on this machine; empty without one."""
    labels = {"cluster": cluster, "instance": service}
    filters = [f"--filter=label=kafka-metal.{key}={name}" for key, name in labels.items()]
    prefixes: list[list[str]] = [[], *([["sudo", "-n"]] if quiet_sudo() else [])]
    for prefix in prefixes if shutil.which("docker") else []:
        # By `timeout`, as this user may not end what sudo runs.
        ask = [*prefix, "timeout", str(ANSWER_S), "docker", "ps", "--all", "--quiet", *filters]
        done = subprocess.run(ask, capture_output=True, text=True, check=False)
        if found := done.stdout.split():
            return [*prefix, "docker", "logs", "--tail=200", "--follow", found[0]]
        if done.returncode == TIMED_OUT:
            return []
    return []
