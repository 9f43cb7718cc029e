"""Brokers and producers that encrypt, beside those that do not: for the knob that measures it.

The listener of clients stays as it was, so that the runner itself asks as ever; a further one, and
that among brokers, speak TLS. Keys are made for the run and end with it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Dict, List, Mapping

from .command import run

KEYS = "tls.pem"
TRUSTED = "tls-ca.pem"
# Where the client's container has the certificate that it trusts.
CLIENT_TRUSTED = f"/tmp/{TRUSTED}"
# The further listener is so many ports above that of clients.
ABOVE = 200


def make(folder: Path, address: str) -> List[Dict[str, str]]:
    """A certificate for an address and its key, as files of a service."""
    folder.mkdir(exist_ok=True)
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    argv = ["openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=benchmark"]
    argv += ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    argv += ["-addext", f"subjectAltName=IP:{address}"]
    run([*argv, "-keyout", str(key), "-out", str(certificate)])
    shown = certificate.read_text(encoding="utf-8")
    return [
        {"name": KEYS, "content": key.read_text(encoding="utf-8") + shown},
        {"name": TRUSTED, "content": shown},
    ]


def above(endpoint: str) -> str:
    """HOST:PORT of the further listener."""
    host, _, port = endpoint.rpartition(":")
    return f"{host}:{int(port) + ABOVE}"


def broker_properties(properties: Mapping[str, str], folder: str) -> Dict[str, str]:
    """Keys of server.properties that change; ``folder`` is where the broker has its files."""
    internal = properties["inter.broker.listener.name"]
    found = {}
    for key in ("listeners", "advertised.listeners"):
        each = properties[key].split(",")
        (clients,) = (one for one in each if not one.startswith(f"{internal}://"))
        name, _, endpoint = clients.partition("://")
        found[key] = ",".join([*each, f"TLS://{above(endpoint)}"])
    found["listener.security.protocol.map"] = f"{name}:PLAINTEXT,{internal}:SSL,TLS:SSL"
    for store, file in (("keystore", KEYS), ("truststore", TRUSTED)):
        found[f"ssl.{store}.type"] = "PEM"
        found[f"ssl.{store}.location"] = f"{folder}/{file}"
    return found


def producer_options(bootstrap: str) -> Dict[str, str]:
    """Options of a producer that comes in by the further listener."""
    return {
        "bootstrap.servers": ",".join(above(each) for each in bootstrap.split(",")),
        "security.protocol": "SSL",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": CLIENT_TRUSTED,
    }
