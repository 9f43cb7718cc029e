"""TLS for brokers and producers, for the knob that measures its cost.

The listener of clients stays without TLS, for the runner itself. An additional listener and the
inter-broker listener use TLS. Keys are created for the run and deleted after it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Dict, List, Mapping

from .command import run

KEYS = "tls.pem"
TRUSTED = "tls-ca.pem"
# Path of the trusted certificate in the client's container.
CLIENT_TRUSTED = f"/tmp/{TRUSTED}"
# Difference between the ports of the additional listener and the listener of clients.
PORT_OFFSET = 200


def make(folder: Path, address: str) -> List[Dict[str, str]]:
    """Create a certificate for an address and its key; return them as files of a service."""
    folder.mkdir(exist_ok=True)
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    argv = ["openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=benchmark"]
    argv += ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    argv += ["-addext", f"subjectAltName=IP:{address}"]
    run([*argv, "-keyout", str(key), "-out", str(certificate)])
    pem = certificate.read_text(encoding="utf-8")
    return [
        {"name": KEYS, "content": key.read_text(encoding="utf-8") + pem},
        {"name": TRUSTED, "content": pem},
    ]


def tls_endpoint(endpoint: str) -> str:
    """Return HOST:PORT of the additional listener."""
    host, _, port = endpoint.rpartition(":")
    return f"{host}:{int(port) + PORT_OFFSET}"


def broker_properties(properties: Mapping[str, str], folder: str) -> Dict[str, str]:
    """Return the changed keys of server.properties; ``folder``: directory of the broker's files."""
    internal = properties["inter.broker.listener.name"]
    found = {}
    for key in ("listeners", "advertised.listeners"):
        each = properties[key].split(",")
        (clients,) = (one for one in each if not one.startswith(f"{internal}://"))
        name, _, endpoint = clients.partition("://")
        found[key] = ",".join([*each, f"TLS://{tls_endpoint(endpoint)}"])
    found["listener.security.protocol.map"] = f"{name}:PLAINTEXT,{internal}:SSL,TLS:SSL"
    for store, file in (("keystore", KEYS), ("truststore", TRUSTED)):
        found[f"ssl.{store}.type"] = "PEM"
        found[f"ssl.{store}.location"] = f"{folder}/{file}"
    return found


def producer_options(bootstrap: str) -> Dict[str, str]:
    """Return the options of a producer for the additional listener."""
    return {
        "bootstrap.servers": ",".join(tls_endpoint(each) for each in bootstrap.split(",")),
        "security.protocol": "SSL",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": CLIENT_TRUSTED,
    }
