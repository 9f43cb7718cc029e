# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Options for Spark masters that store their state and elect a leader in ZooKeeper; no I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# Seconds after which a new leader drops workers and applications that do not respond; running ones
# respond within a second. Spark's default is a minute, in which no application gets a core.
RECOVERY_TIMEOUT_SECONDS = 20


def recovery_options(servers: Sequence[str], node: str, files: Mapping[str, str]) -> str:
    """Options of a master's JVM; empty without an ensemble.

    ``servers`` are host:port, ``node`` is the znode with the masters' state. ``files`` has ``keys``
    and ``trusted``, PEM files in the container, if the ensemble requires a certificate. Sources:
    Spark's page on the standalone mode ("High Availability") and ZooKeeper's administrator's guide
    ("Netty Transport").
    """
    if not servers:
        return ""
    keys: dict[str, object] = {
        "spark.deploy.recoveryMode": "ZOOKEEPER",
        "spark.deploy.zookeeper.url": ",".join(servers),
        "spark.deploy.zookeeper.dir": node,
        "spark.deploy.recoveryTimeout": RECOVERY_TIMEOUT_SECONDS,
    }
    if files:
        keys |= {
            "zookeeper.client.secure": "true",
            "zookeeper.clientCnxnSocket": "org.apache.zookeeper.ClientCnxnSocketNetty",
            "zookeeper.ssl.keyStore.location": files["keys"],
            "zookeeper.ssl.keyStore.type": "PEM",
            "zookeeper.ssl.trustStore.location": files["trusted"],
            "zookeeper.ssl.trustStore.type": "PEM",
        }
    return " ".join(f"-D{key}={value}" for key, value in keys.items())
