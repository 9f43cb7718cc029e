"""Which master of Spark leads, and which workers it has."""

from testing import pages
from testing.cluster import Cluster
from testing.topology import Instance
from testing.waiting import NotYet


def status(master: Instance) -> str:
    """ALIVE, STANDBY or RECOVERING; empty while it does not answer."""
    try:
        return pages.get(master.endpoint, seconds=2)["status"]
    except OSError:
        return ""


def leader(cluster: Cluster) -> str:
    """Name of the master that leads; NotYet while there is none."""
    found = {name: status(master) for name, master in cluster.topology.spark_masters.items()}
    leading = [name for name, what in found.items() if what == "ALIVE"]
    if len(leading) != 1:
        raise NotYet(f"masters: {found}")
    return leading[0]


def check_workers_registered(cluster: Cluster) -> None:
    """Raise NotYet until the one that leads has all workers."""
    master = cluster.topology.spark_masters[leader(cluster)]
    alive = pages.get(master.endpoint, seconds=2)["aliveworkers"]
    if alive != len(cluster.topology.spark_workers):
        raise NotYet(f"{alive} workers")


def check_other_leads(cluster: Cluster, than: str) -> None:
    """Raise NotYet until another one leads."""
    if leader(cluster) == than:
        raise NotYet(f"{than} still leads")
