"""The file of ``--client-config``: empty, incomplete or damaged ones are refused by name."""

from collections.abc import Mapping
from pathlib import Path

from kafka_metal_client.brokers import read_properties
from kafka_metal_client.errors import ClientError

REMEDY = "write the file again; for a user of a cluster of this project: make access U=NAME"
PEM = ("ssl.ca.location", "ssl.certificate.location", "ssl.key.location")
LOGIN = ("sasl.username", "sasl.password")
# Mechanisms that authenticate with a password.
PASSWORDS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")


def settings(path: Path) -> dict[str, str]:
    """Return the settings of a file; ClientError names the file, what is wrong, and the remedy."""
    try:
        found = read_properties(path)
    except OSError as error:
        raise ClientError(f"{path}: {error.strerror}; {REMEDY}") from None
    except UnicodeDecodeError:
        raise ClientError(f"{path}: is damaged, it is not UTF-8 text; {REMEDY}") from None
    except ClientError as error:
        raise ClientError(f"{error}; {REMEDY}") from None
    fault = _fault(found) or _fault_of_files(found)
    if fault:
        raise ClientError(f"{path}: {fault}; {REMEDY}")
    return found


def _fault(found: Mapping[str, str]) -> str:
    """Return what the settings lack; empty if they are complete."""
    if not found:
        return "is empty, it has no settings"
    protocol = found.get("security.protocol", "").upper()
    secured = sorted(name for name in found if name.startswith(("sasl.", "ssl.")))
    if not protocol and secured:
        return f"is incomplete, it has {secured[0]} and no security.protocol"
    mechanism = found.get("sasl.mechanism", found.get("sasl.mechanisms", ""))
    given = [name for name in LOGIN if name in found]
    # librdkafka's default mechanism GSSAPI has neither a user name nor a password.
    if protocol.startswith("SASL_") and given and not mechanism:
        return f"is incomplete, it has {given[0]} and no sasl.mechanism"
    if mechanism in PASSWORDS:
        for name in LOGIN:
            if not found.get(name):
                return f"is incomplete, it has sasl.mechanism={mechanism} and no {name}"
    return ""


def _fault_of_files(found: Mapping[str, str]) -> str:
    """Return what is wrong with a certificate or key that the settings name; empty if nothing."""
    for name in PEM:
        file = Path(found.get(name, ""))
        # A CA may also be a directory, or "probe".
        if name not in found or file.is_dir() or found[name] == "probe":
            continue
        try:
            text = file.read_bytes()
        except OSError as error:
            return f"{name}={file}: {error.strerror}"
        if not text.strip():
            return f"{name}={file}: is empty"
        if text.count(b"-----BEGIN ") != text.count(b"-----END ") or b"-----BEGIN " not in text:
            return f"{name}={file}: is damaged, it is not a complete PEM file"
    return ""
