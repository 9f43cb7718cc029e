"""State of the masters of Spark and their workers."""

from testing import pages
from testing.cluster import Cluster
from testing.topology import Instance
from testing.waiting import NotYet


def status(master: Instance) -> str:
    """Return ALIVE, STANDBY or RECOVERING; empty while it does not respond."""
    try:
        return pages.get(master.endpoint, seconds=2)["status"]
    except OSError:
        return ""


def leader(cluster: Cluster) -> str:
    """Return the name of the leading master; NotYet while there is none."""
    found = {name: status(master) for name, master in cluster.topology.spark_masters.items()}
    leading = [name for name, state in found.items() if state == "ALIVE"]
    if len(leading) != 1:
        raise NotYet(f"masters: {found}")
    return leading[0]


def check_workers_registered(cluster: Cluster) -> None:
    """Raise NotYet unless all workers are registered with the leading master."""
    master = cluster.topology.spark_masters[leader(cluster)]
    alive = pages.get(master.endpoint, seconds=2)["aliveworkers"]
    if alive != len(cluster.topology.spark_workers):
        raise NotYet(f"{alive} workers")


def check_other_leads(cluster: Cluster, than: str) -> None:
    """Raise NotYet unless another master leads."""
    if leader(cluster) == than:
        raise NotYet(f"{than} still leads")
