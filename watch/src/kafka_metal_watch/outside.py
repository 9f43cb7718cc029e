"""Questions over the network: a listener's certificate, the state of a driver or a master."""

import http.client
import json
import socket
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

PATIENCE_S = 5.0


def certificate_expiry(endpoint: str, ca_file: str) -> float | None:
    """Until when the certificate at HOST:PORT is valid; None when nobody shows one.

    One that has expired gives 0; one that the CA has not signed is somebody else's, and gives None.
    """
    host, _, port = endpoint.rpartition(":")
    strict = ssl.create_default_context(cafile=ca_file)
    strict.check_hostname = False
    try:
        with (
            socket.create_connection((host, int(port)), timeout=PATIENCE_S) as plain,
            strict.wrap_socket(plain, server_hostname=host) as closed,
        ):
            shown = closed.getpeercert() or {}
            return float(ssl.cert_time_to_seconds(str(shown["notAfter"])))
    except ssl.SSLCertVerificationError as error:
        # 10: it has expired. The date is not to be had without a parser; 0 is long ago.
        return 0.0 if error.verify_code == 10 else None
    except (OSError, KeyError):
        return None


def driver_state(endpoint: str, name: str, word: str = "") -> dict[str, Any] | None:
    """What the driver of a pipeline says at HOST:PORT; None when it does not answer.

    An answer of another pipeline's driver is none. ``word`` is shown to those who ask who comes:
    name:password in base64 (RFC 7617).
    """
    found = _told(endpoint, "/status", "outputs", word)
    return found if found and found.get("name") == name else None


def master_state(endpoint: str, word: str = "") -> dict[str, Any] | None:
    """The same of a master of Spark, by its page."""
    return _told(endpoint, "/json/", "status", word)


# For how long the container engine of each machine has checked nothing.
ENGINES = "time() - max by (host) (kafka_metal_engine_checked_time_seconds)"


def engines(endpoint: str, login: str = "") -> Mapping[str, float]:
    """Seconds since the engine of each machine ran a health check, by Prometheus at HOST:PORT.

    ``login`` is what it asks for: name:password in base64, empty where it asks nobody.
    Nothing where Prometheus does not answer: its own alerts and the status screen tell of that.
    """
    found = _told(endpoint, f"/api/v1/query?query={quote(ENGINES)}", "data", login)
    try:
        rows = found["data"]["result"] if found else []
        return {str(row["metric"]["host"]): float(row["value"][1]) for row in rows}
    except (KeyError, IndexError, TypeError, ValueError):
        return {}


def _told(endpoint: str, path: str, key: str, word: str) -> dict[str, Any] | None:
    """An answer in JSON that has a key; None for any other."""
    headers = {"Authorization": f"Basic {word}"} if word else {}
    connection = http.client.HTTPConnection(endpoint, timeout=PATIENCE_S)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        found = json.loads(answer.read())
        return found if isinstance(found, dict) and key in found else None
    except (OSError, ValueError, http.client.HTTPException):
        return None
    finally:
        connection.close()
