"""Convert a declared service to commands: as a container, as a stock container, or as a process.

Pure functions: a service is data, and all variants use the same data.
"""

from __future__ import annotations

import copy
from typing import Any, Dict, Iterator, List, Mapping, Sequence, Tuple

from . import tls
from .plan import Plan, Side

BROKER = "kafka_broker"
PROPERTIES = "server.properties"
# Log dir of a stock container: an anonymous volume on the disk of the engine.
STOCK_LOG_DIR = "/var/lib/kafka/data"
Service = Dict[str, Any]


def read_properties(text: str) -> Dict[str, str]:
    """Return keys and values of a properties file in the format of our renderer."""
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return dict(line.split("=", 1) for line in lines)


def write_properties(values: Mapping[str, str]) -> str:
    """Return the content of a properties file."""
    return "".join(f"{key}={values[key]}\n" for key in sorted(values))


def declared_file(service: Service, name: str) -> Dict[str, str]:
    """Return the declared configuration file with this name; StopIteration without one."""
    found: Dict[str, str] = next(each for each in service["files"] if each["name"] == name)
    return found


def apply_side(service: Service, side: Side, keys: Sequence[Dict[str, str]] = ()) -> Service:
    """Return a service with the changes of one side of a knob, which apply only to brokers.

    ``keys``: files for a side with TLS.
    """
    new = copy.deepcopy(service)
    if service["kind"] == BROKER:
        properties = declared_file(new, PROPERTIES)
        values = {**read_properties(properties["content"]), **side.broker}
        if side.tls:
            values.update(tls.broker_properties(values, service["config_target"]))
            new["files"] += copy.deepcopy(list(keys))
        properties["content"] = write_properties(values)
        new["definition"]["environment"].update(side.environment)
        if side.memory:
            new["definition"]["mem_limit"] = side.memory
    return new


def stock_broker(service: Service, plan: Plan) -> Service:
    """Return the broker in a stock set-up: Kafka's defaults, one log dir, published ports.

    It keeps its identity and its metadata service. Brokers connect to each other by name on the
    bridge network, clients by the published port.
    """
    new = copy.deepcopy(service)
    ours = read_properties(declared_file(new, PROPERTIES)["content"])
    internal = ours["inter.broker.listener.name"]
    keep = {
        "broker.id",
        "inter.broker.listener.name",
        "listener.security.protocol.map",
        *plan.metadata_keys,
    }
    values = {key: value for key, value in ours.items() if key in keep}
    values["log.dirs"] = STOCK_LOG_DIR
    values["listeners"] = ours["listeners"].replace(plan.address, "0.0.0.0")
    values["advertised.listeners"] = ",".join(
        each.replace(plan.address, container_name(new)) if each.startswith(internal) else each
        for each in ours["advertised.listeners"].split(",")
    )
    declared_file(new, PROPERTIES)["content"] = write_properties(values)
    old = new["definition"]
    new["definition"] = {
        "name": old["name"],
        "image": old["image"],
        "command": old["command"],
        # Anonymous volumes are owned by root.
        "user": "0:0",
        "environment": {**old["environment"], **plan.stock_environment},
        "volumes": [],
        "mem_limit": old.get("mem_limit", ""),
        "network_mode": network_name(plan),
        "ports": [
            f"{host_port(each)}"
            for each in ours["advertised.listeners"].split(",")
            if not each.startswith(internal)
        ],
    }
    return new


def host_port(listener: str) -> str:
    """Return HOST:PORT of NAME://HOST:PORT."""
    return listener.split("://", 1)[1]


def container_name(service: Service) -> str:
    """Return the name of a service's container."""
    return str(service["definition"]["name"])


def network_name(plan: Plan) -> str:
    """Return the name of the bridge network of the stock set-up."""
    return f"{plan.cluster}-net"


def mounts(service: Service, config_dir: str) -> Iterator[Tuple[str, str, bool]]:
    """Yield source, target and read-only of every mount, including the configuration."""
    for volume in service["definition"].get("volumes") or ():
        yield volume["source"], volume["target"], bool(volume.get("read_only"))
    if service["files"]:
        yield config_dir, service["config_target"], True


def docker_run(service: Service, plan: Plan, config_dir: str) -> List[str]:
    """Return the command that starts a service as a container."""
    its = service["definition"]
    argv = ["docker", "run", "--detach", "--name", its["name"], "--pull", "never"]
    argv += ["--label", f"kafka-metal.cluster={plan.cluster}"]
    argv += ["--label", f"kafka-metal.service={service['kind']}"]
    argv += ["--network", its["network_mode"], "--log-opt", "max-size=20m"]
    argv += ["--user", its["user"]] if its.get("user") else []
    argv += ["--read-only"] if its.get("read_only") else []
    argv += ["--init"] if its.get("init") else []
    argv += ["--pids-limit", str(its["pids_limit"])] if its.get("pids_limit") else []
    for limit, value in (its.get("ulimits") or {}).items():
        argv += ["--ulimit", f"{limit}={value}"]
    if its.get("mem_limit"):
        argv += ["--memory", its["mem_limit"], "--memory-swap", its["mem_limit"]]
    for key, option in (("cap_drop", "--cap-drop"), ("security_opt", "--security-opt")):
        for value in its.get(key) or ():
            argv += [option, value]
    for value in its.get("tmpfs") or ():
        argv += ["--tmpfs", value]
    for value in its.get("ports") or ():
        argv += ["--publish", f"{value}:{value.rpartition(':')[2]}"]
    for key, value in sorted((its.get("environment") or {}).items()):
        argv += ["--env", f"{key}={value}"]
    for source, target, read_only in mounts(service, config_dir):
        argv += ["--mount", f"type=bind,source={source},target={target}"]
        argv[-1] += ",readonly" if read_only else ""
    if its["network_mode"] == network_name(plan):
        argv += ["--volume", STOCK_LOG_DIR]
    first, *rest = its.get("entrypoint") or [""]
    argv += ["--entrypoint", first] if first else []
    return [*argv, its["image"], *rest, *its["command"]]


# Only the mounts are in a namespace of the process, and disappear with it. There is no cgroup, no
# network namespace, no overlay and no seccomp filter.
BARE = """set -e
mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"
root=$1; user=$2; shift 2
while [ "$1" != -- ]; do
    if [ -d "$1" ]; then mkdir -p "$root$2"; else touch "$root$2"; fi
    mount --bind "$1" "$root$2"; shift 2
done
shift; exec chroot --userspec="$user" --groups= "$root" /usr/bin/env -i "$@"
"""
PATH = "PATH=/usr/local/bin:/usr/bin:/bin:/opt/java/bin"


def bare_process(service: Service, root: str, config_dir: str) -> List[str]:
    """Return the command that starts a service as a process of the host from the image's files."""
    its = service["definition"]
    argv = ["unshare", "--mount", "--propagation", "private", "sh", "-c", BARE, "bare"]
    argv += [root, its["user"]]
    for source, target, _ in mounts(service, config_dir):
        argv += [source, target]
    for name in ("/etc/hosts", "/etc/resolv.conf"):
        argv += [name, name]
    environment = [f"{key}={value}" for key, value in sorted(its["environment"].items())]
    return [*argv, "--", PATH, *environment, *(its.get("entrypoint") or ()), *its["command"]]


def data_directories(services: Sequence[Service]) -> List[str]:
    """Return the host directories that services write to."""
    return [
        volume["source"]
        for service in services
        for volume in service["definition"].get("volumes") or ()
    ]
