# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Addresses of brokers, and what is said of those that do not answer."""

from __future__ import annotations


class ClusterError(Exception):
    """The cluster cannot be reached or refuses a question; the text says which and why."""


def words_of(error: Exception) -> str:
    """An error as a short text: the system's or Kafka's own words where there are some."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


def address(server: str) -> tuple[str, int]:
    """Host and port of ``host:port``; raises ClusterError."""
    host, colon, port = server.rpartition(":")
    if not colon or not port.isdecimal():
        raise ClusterError(f"bootstrap server {server!r} is not of the form host:port")
    return host.strip("[]"), int(port)
