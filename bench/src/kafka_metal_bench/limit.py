"""What the hardware allows at most: the formula every row is compared with. Pure functions.

N brokers, r replicas, f readers of every record, payload rate X: a broker's disk takes X*r/N, its
network takes X*r/N in and X*(r-1+f)/N out. The first of them to be full bounds X.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple


@dataclass(frozen=True)
class Broker:
    """Bytes per second that one broker's hardware carries."""

    disk: float
    network_in: float
    network_out: float


def x_max(broker: Broker, brokers: int, replicas: int, readers: int) -> Tuple[float, str]:
    """Most payload bytes per second that ``brokers`` can take, and what bounds them.

    ``replicas`` 0 means that nothing is written: readers of what is there already, from the page
    cache, are bounded by the network alone.
    """
    bounds = {}
    if replicas:
        bounds["disk"] = brokers * broker.disk / replicas
        bounds["network in"] = brokers * broker.network_in / replicas
    outgoing = max(replicas - 1, 0) + readers
    if outgoing:
        bounds["network out"] = brokers * broker.network_out / outgoing
    if not bounds:
        raise ValueError("nothing is written and nothing is read: nothing limits it")
    bound = min(bounds, key=lambda name: bounds[name])
    return bounds[bound], bound


def shared(disks: float, loopback: Optional[float], brokers: int) -> Broker:
    """A broker's part where several share one machine: its disks and its loopback are divided."""
    network = (loopback or float("inf")) / brokers
    return Broker(disk=disks / brokers, network_in=network, network_out=network)
