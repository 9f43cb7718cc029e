# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Addresses of brokers, and errors of requests to a cluster."""

from __future__ import annotations


class ClusterError(Exception):
    """The cluster is unreachable or rejects a request; the text names request and reason."""


def error_text(error: Exception) -> str:
    """Return an error as a short text, the system's or Kafka's own if there is one."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


def parse_address(server: str) -> tuple[str, int]:
    """Return host and port of ``host:port``; raises ClusterError."""
    host, colon, port = server.rpartition(":")
    if not colon or not port.isdecimal():
        raise ClusterError(f"bootstrap server: found {server!r}; allowed: host:port")
    return host.strip("[]"), int(port)
