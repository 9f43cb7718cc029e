"""The log of one service: from the container engine of this machine, otherwise with Ansible."""

import shutil
import subprocess

from verbs.run import SCREEN, can_sudo_without_password, play, site, wait
from verbs.values import refuse, service, value

# Seconds to wait for the engine of this machine. If it hangs, the log file is read with Ansible.
ENGINE_TIMEOUT_S = 5
# Exit code of `timeout` after it has ended its command.
TIMED_OUT = 124


def logs() -> int:
    """Print the log of one service; follow it if the service runs on this machine."""
    if not value("S"):
        refuse("S is missing, for example: make logs S=kafka1")
    wanted = service("S")
    if follow := follow_command(site("internal_begin").cluster, wanted):
        return wait(follow)
    return play("logs", variables={"logs_service": wanted}, callback=SCREEN)


def follow_command(cluster: str, wanted: str) -> list[str]:
    """Command that follows the log of a container on this machine; empty without the container."""
    if "@" in wanted:
        # The machine may be another one.
        return []
    labels = {"cluster": cluster, "instance": wanted}
    filters = [f"--filter=label=kafka-metal.{key}={name}" for key, name in labels.items()]
    prefixes: list[list[str]] = [[], *([["sudo", "-n"]] if can_sudo_without_password() else [])]
    for prefix in prefixes if shutil.which("docker") else []:
        # With `timeout`, because this user may not signal processes of sudo.
        listing = [*prefix, "timeout", str(ENGINE_TIMEOUT_S), "docker", "ps", "--all", "--quiet"]
        done = subprocess.run([*listing, *filters], capture_output=True, text=True, check=False)
        if found := done.stdout.split():
            return [*prefix, "docker", "logs", "--tail=200", "--follow", found[0]]
        if done.returncode == TIMED_OUT:
            return []
    return []
