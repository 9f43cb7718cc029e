"""Read state over the network: certificates of listeners, and states of drivers and masters."""

import http.client
import json
import socket
import ssl
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from ._problems.driver_status import read_state
from ._problems.spark_problems import master_fault

TIMEOUT_S = 5.0
# Bytes of a response. The exporter's container has 256 MiB, and a driver's status a few kilobytes.
LIMIT_BYTES = 8 * 1024**2
TOO_LARGE = f"its response is larger than {LIMIT_BYTES // 1024**2} MiB"
# X509_V_ERR_CERT_HAS_EXPIRED of OpenSSL.
EXPIRED = 10


def certificate_expiry(endpoint: str, ca_file: str) -> float | None:
    """Return when the certificate of HOST:PORT expires, in seconds since 1970.

    Return 0 for an expired certificate. Return None without a certificate, or for one that the CA
    did not sign.
    """
    host, _, port = endpoint.rpartition(":")
    context = ssl.create_default_context(cafile=ca_file)
    context.check_hostname = False
    try:
        with (
            socket.create_connection((host, int(port)), timeout=TIMEOUT_S) as plain,
            context.wrap_socket(plain, server_hostname=host) as encrypted,
        ):
            certificate = encrypted.getpeercert() or {}
            return float(ssl.cert_time_to_seconds(str(certificate["notAfter"])))
    except ssl.SSLCertVerificationError as error:
        # The ssl module gives no date of a rejected certificate; 0 is in the past.
        return 0.0 if error.verify_code == EXPIRED else None
    except (OSError, KeyError):
        return None


def driver_state(endpoint: str, name: str, login: str = "") -> dict[str, Any] | None:
    """Return the state of a pipeline's driver at HOST:PORT; None if it does not respond.

    The driver of another pipeline, or another program, counts as no response. ``login``:
    name:password in base64 (RFC 7617), empty for a driver without a password.
    """
    return read_state(_get_json(endpoint, "/status", "outputs", login), name)[0]


def master_state(endpoint: str, login: str = "") -> dict[str, Any] | None:
    """Return the state of a Spark master by its web UI; None if it does not respond."""
    found = _get_json(endpoint, "/json/", "status", login)
    return None if master_fault(found) else found


# Seconds since the container engine of each machine last ran a health check.
ENGINES = "time() - max by (host) (kafka_metal_engine_checked_time_seconds)"


def engines(endpoint: str, login: str = "") -> Mapping[str, float]:
    """Return seconds since the last health check of each machine's engine, by host.

    ``endpoint``: HOST:PORT of Prometheus. ``login``: name:password in base64, empty without one.
    Empty if Prometheus does not respond: other alerts and `make status` report that.
    """
    found = _get_json(endpoint, f"/api/v1/query?query={quote(ENGINES)}", "data", login)
    try:
        rows = found["data"]["result"] if found else []
        return {str(row["metric"]["host"]): float(row["value"][1]) for row in rows}
    except (KeyError, IndexError, TypeError, ValueError):
        return {}


def alerts(endpoint: str, login: str = "") -> tuple[Mapping[str, Any], ...] | None:
    """Return all alerts of Prometheus at HOST:PORT, also pending ones; None without a response."""
    return _prometheus_list(endpoint, "/api/v1/alerts", "alerts", login)


def targets(endpoint: str, login: str = "") -> tuple[Mapping[str, Any], ...] | None:
    """Return the active targets of Prometheus at HOST:PORT; None without a response."""
    return _prometheus_list(endpoint, "/api/v1/targets?state=active", "activeTargets", login)


def rules(endpoint: str, login: str = "") -> tuple[Mapping[str, Any], ...] | None:
    """Return the groups of alerting rules of Prometheus at HOST:PORT; None without a response."""
    return _prometheus_list(endpoint, "/api/v1/rules?type=alert", "groups", login)


def _prometheus_list(
    endpoint: str, path: str, key: str, login: str
) -> tuple[Mapping[str, Any], ...] | None:
    found = _get_json(endpoint, path, "data", login)
    data = found["data"] if found else None
    return tuple(data[key]) if isinstance(data, dict) and isinstance(data.get(key), list) else None


def _get_json(endpoint: str, path: str, key: str, login: str) -> dict[str, Any] | None:
    """Return a JSON object that has ``key``; None for any other response.

    RuntimeError for a response that is too large.
    """
    headers = {"Authorization": f"Basic {login}"} if login else {}
    connection = http.client.HTTPConnection(endpoint, timeout=TIMEOUT_S)
    try:
        connection.connect()
        # The timeout is that of each packet: a response may come byte by byte, also its headers.
        end = threading.Timer(TIMEOUT_S, _shut_down, [connection.sock])
        end.daemon = True
        end.start()
    except OSError:
        return None
    try:
        connection.request("GET", path, headers=headers)
        found = json.loads(_content(connection.getresponse()))
        return found if isinstance(found, dict) and key in found else None
    except (OSError, ValueError, http.client.HTTPException):
        return None
    finally:
        end.cancel()
        connection.close()


def _shut_down(connection: socket.socket) -> None:
    """End all reads of a connection."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _content(response: http.client.HTTPResponse) -> bytes:
    """Read a response within the limit of its size."""
    content = response.read(LIMIT_BYTES + 1)
    if len(content) > LIMIT_BYTES:
        raise RuntimeError(TOO_LARGE)
    return content
