"""Hardware limit of the throughput, with which every row is compared. Pure functions.

With N brokers, r replicas, f consumers of every record and a payload rate X, the disk of a broker
writes X*r/N, its network receives X*r/N and sends X*(r-1+f)/N. The first saturated resource
limits X.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple


@dataclass(frozen=True)
class Broker:
    """Capacity of a broker's hardware in bytes per second."""

    disk: float
    network_in: float
    network_out: float


def x_max(broker: Broker, brokers: int, replicas: int, readers: int) -> Tuple[float, str]:
    """Return the maximum payload rate in bytes per second, and the limiting resource.

    ``replicas`` 0: nothing is written; consumers read from the page cache, and only the network
    limits them. Raise ValueError without writes and reads.
    """
    bounds = {}
    if replicas:
        bounds["disk"] = brokers * broker.disk / replicas
        bounds["network in"] = brokers * broker.network_in / replicas
    outgoing = max(replicas - 1, 0) + readers
    if outgoing:
        bounds["network out"] = brokers * broker.network_out / outgoing
    if not bounds:
        raise ValueError("nothing is written or read, so there is no limit")
    bound = min(bounds, key=lambda name: bounds[name])
    return bounds[bound], bound


def shared(disks: float, loopback: Optional[float], brokers: int) -> Broker:
    """Return a broker's share of the disks and the loopback of a common machine."""
    network = (loopback or float("inf")) / brokers
    return Broker(disk=disks / brokers, network_in=network, network_out=network)
