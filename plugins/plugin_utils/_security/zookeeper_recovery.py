# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""How masters of Spark keep what they know in a ZooKeeper ensemble, and who leads; no I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# Workers and applications that do not answer a new leader for so long are gone; those that run
# answer within a second. Spark's own default is a minute, in which no application gets a core.
ANSWER_SECONDS = 20


def options(servers: Sequence[str], node: str, files: Mapping[str, str]) -> str:
    """Options of a master's JVM; empty without an ensemble.

    ``servers`` are host:port, ``node`` is where the masters of one cluster keep their state.
    ``files`` has ``keys`` and ``trusted``, PEM files in the container, where the ensemble asks for
    a certificate. Keys: Spark's page on the standalone mode ("High Availability") and ZooKeeper's
    administrator's guide ("Netty Transport").
    """
    if not servers:
        return ""
    keys: dict[str, object] = {
        "spark.deploy.recoveryMode": "ZOOKEEPER",
        "spark.deploy.zookeeper.url": ",".join(servers),
        "spark.deploy.zookeeper.dir": node,
        "spark.deploy.recoveryTimeout": ANSWER_SECONDS,
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
