# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Requests to web pages and APIs of the platform's services, without a proxy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    OpenerDirector,
    Request,
)

from .._common.deadlines import Deadline, run_in_parallel

# Pages are inside the platform's network: requests never use a proxy of the machine. Without a
# handler of https, which would load all CA certificates of the machine at each import.
_direct = OpenerDirector()
for _handler in (HTTPHandler, HTTPDefaultErrorHandler, HTTPRedirectHandler, HTTPErrorProcessor):
    _direct.add_handler(_handler())
LIMIT_BYTES = 64 * 1024**2


def get(url: str, timeout: float, login: str = "") -> bytes:
    """Return the content of a page; raises OSError, HTTPException or ValueError.

    ``login`` is the result of ``web_login.basic_credentials``, or empty where pages need no
    authentication.
    """
    request = Request(url)
    if login:
        # Never sent to the target of a redirect.
        request.add_unredirected_header("Authorization", f"Basic {login}")
    with _direct.open(request, timeout=timeout) as response:
        content: bytes = response.read(LIMIT_BYTES + 1)
    if len(content) > LIMIT_BYTES:
        raise ValueError(f"the response is larger than {LIMIT_BYTES // 1024**2} MiB")
    return content


def get_all(urls: Mapping[str, str], timeout: float, login: str = "") -> dict[str, dict[str, Any]]:
    """Return the response of each page by name; requests run in parallel.

    Each has ``error`` (empty for a good response), ``text``, and ``json``, None if it is no JSON.
    """
    calls = {name: partial(_response, url, timeout, login) for name, url in urls.items()}
    # Name resolution is not bounded by the socket's timeout.
    found = run_in_parallel(calls, Deadline(timeout + 1))
    return {
        name: {"error": str(answer), "text": "", "json": None}
        if isinstance(answer, Exception)
        else answer
        for name, answer in found.items()
    }


def status_error(code: int) -> str:
    """Return the error of a response with this status."""
    return f"HTTP status {code}"


def _response(url: str, timeout: float, login: str) -> dict[str, Any]:
    try:
        content = get(url, timeout, login)
    except HTTPError as error:
        return {"error": status_error(error.code), "text": "", "json": None}
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        reason = getattr(reason, "strerror", None) or reason
        return {"error": str(reason) or type(error).__name__, "text": "", "json": None}
    answer: dict[str, Any] = {"error": "", "text": content.decode("utf-8", "replace"), "json": None}
    with suppress(ValueError):
        answer["json"] = json.loads(content)
    return answer
