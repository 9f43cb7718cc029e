"""Requests to a schema registry with Confluent's API."""

import base64
import http.client
import json
import ssl
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from kafka_metal_declarations.model import RegistrySite
from kafka_metal_declarations.printable_values import format_value, hide_passwords

# Of each step of a request, and of its whole response.
TIMEOUT_S = 10
RESPONSE_S = 60.0
LIMIT_BYTES = 64 * 1024**2
ACCEPT = "application/vnd.schemaregistry.v1+json, application/json"


class RegistryError(RuntimeError):
    """A registry without a schema to read with; the message names registry, subject and cause.

    The cause is outside of the pipeline: the registry does not respond, or nobody has registered a
    schema.
    """


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect is an error: the next request would send the login to another address."""

    def redirect_request(self, *_: Any) -> None:
        """Return no other request."""


def fetch(url: str, site: RegistrySite) -> Any:
    """Return JSON from a URL; raises RegistryError. The files are read for each request."""
    headers = {"Accept": ACCEPT}
    try:
        if site.credentials_file:
            headers["Authorization"] = f"Basic {_credentials(Path(site.credentials_file))}"
        context = ssl.create_default_context(cafile=site.ca_file) if site.ca_file else None
        handlers = (_NoRedirects, urllib.request.HTTPSHandler(context=context))
        request = urllib.request.Request(url, headers=headers)
        opener = urllib.request.build_opener(*handlers)
        with opener.open(request, timeout=TIMEOUT_S) as response:
            return json.loads(_content(response))
    except http.client.InvalidURL:
        # Its text has parts of the URL, such as a password.
        raise RegistryError(f"{hide_passwords(url)}: the URL is invalid") from None
    except (OSError, ValueError, http.client.HTTPException, RecursionError) as error:
        raise RegistryError(f"{hide_passwords(url)}: {_reason(error)}") from error


def _credentials(file: Path) -> str:
    found = file.read_bytes().strip()
    try:
        base64.b64decode(found, validate=True)
    except ValueError:
        # The library's error for such a header has its value.
        raise ValueError(f"{file} is not base64 in one line") from None
    return found.decode("ascii")


def _content(response: Any) -> bytes:
    """Return the body, unless it is too large or arrives too slowly."""
    found, end = bytearray(), time.monotonic() + RESPONSE_S
    while part := response.read1(65_536):
        found += part
        if len(found) > LIMIT_BYTES:
            raise ValueError(f"the response is larger than {LIMIT_BYTES // 1024**2} MiB")
        if time.monotonic() > end:
            raise ValueError(f"the response takes longer than {RESPONSE_S:g} s")
    return bytes(found)


def _reason(error: Exception) -> str:
    """Return the cause of an error, without the text that the library adds to it."""
    cause = getattr(error, "reason", None)
    return short_text(str(getattr(cause, "strerror", None) or error) or type(error).__name__)


def short_text(found: object) -> str:
    """Return a text of a response for a message: short, printable and without passwords."""
    return "".join(each if each.isprintable() else " " for each in format_value(found))
