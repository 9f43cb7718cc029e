"""``kafka-metal-watch probe|exporter CONFIG``: figures of a cluster, as a client sees it.

CONFIG is a JSON file: ``listen`` (HOST:PORT, of IPv4 or IPv6) and ``kafka`` (options of
librdkafka) for both, and ``hosts``, names in the header Host that are answered besides addresses
and localhost; ``topic`` for the probe; ``interval`` in seconds, ``exclude`` (a regular
expression of groups), ``certificates`` (endpoints), ``ca_file``, ``pipelines`` and ``masters``
(endpoints by name), ``workers`` (how many of Spark there are to be), and for its page ``cluster``
(the name), ``links`` (pages of other clusters by name), ``operations`` (a folder that says which
operation is under way) and ``prometheus`` (HOST:PORT of one that reads the machines) and
``prometheus_login`` (name:password in base64, where it asks for them) for the exporter.
"""

import argparse
import json
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from confluent_kafka import KafkaException
from prometheus_client import (
    GCCollector,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
    make_wsgi_app,
)
from prometheus_client.core import CollectorRegistry

from .cluster import Kafka, Reader
from .hosts import guarded
from .metrics import Figures
from .operation import operation
from .outside import certificate_expiry, driver_state, engines, master_state
from .page import Application, application, page
from .probe import Probe, Score, topic_of

LOG = logging.getLogger("kafka-metal-watch")
# Seconds between looks at the files: a new password counts from its first login on.
CHANGES_S = 5.0
KEYS = {
    "probe": {"listen", "kafka", "hosts", "topic"},
    "exporter": {
        *("listen", "kafka", "hosts", "interval", "exclude"),
        *("certificates", "ca_file", "pipelines", "masters", "page_login", "workers", "cluster"),
        *("links", "operations", "prometheus", "prometheus_login"),
    },
}
DEFAULTS: dict[str, dict[str, Any]] = {
    "probe": {"topic": "kafka-metal-probe", "hosts": []},
    "exporter": {
        **{"interval": 15, "exclude": "", "certificates": [], "ca_file": "", "hosts": []},
        **{"pipelines": {}, "masters": {}, "page_login": "", "workers": 0},
        **{"cluster": "kafka", "links": {}, "operations": ""},
        **{"prometheus": "", "prometheus_login": ""},
    },
}


class ConfigError(ValueError):
    """The configuration cannot be used; names the key and the blocker."""


def config_of(role: str, found: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration with everything it needs; raises ConfigError."""
    unknown = sorted(set(found) - KEYS[role])
    if unknown:
        raise ConfigError(f"{unknown[0]}: no key of {role}; keys: {', '.join(sorted(KEYS[role]))}")
    for key in ("listen", "kafka"):
        if key not in found:
            raise ConfigError(f"{key}: is missing")
    if found.get("certificates") and not found.get("ca_file"):
        raise ConfigError("certificates: need ca_file, the CA that signed them")
    return {**DEFAULTS[role], **found}


def registry() -> CollectorRegistry:
    """With what the process itself says."""
    # When each series began: twice the figures, and nobody asks.
    disable_created_metrics()  # type: ignore[no-untyped-call]
    result = CollectorRegistry()
    ProcessCollector(registry=result)
    PlatformCollector(registry=result)
    GCCollector(registry=result)
    return result


class Server(ThreadingMixIn, WSGIServer):
    """Of the family its address is of; somebody who is slow to read keeps nobody waiting."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], handler: type[WSGIRequestHandler]) -> None:
        """Find the family before the socket is made: the library alone knows only IPv4."""
        host, port = address
        found = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        self.address_family = found[0][0]
        super().__init__((host, port), handler)


class Handler(WSGIRequestHandler):
    """One that does not write down every question."""

    timeout = 10

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def serve(endpoint: str, answer: Application, hosts: Sequence[str] = ()) -> None:
    """Answer at HOST:PORT until the process ends; an IPv6 address may stand in brackets."""
    host, _, port = endpoint.rpartition(":")
    server = make_server(
        host.strip("[]"),
        int(port),
        guarded(answer, [host, *hosts]),
        server_class=Server,
        handler_class=Handler,
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()


def export(config: Mapping[str, Any], ended: threading.Event) -> None:
    """Read all again at each interval; what cannot be read keeps its old moment."""
    figures, all_figures = Figures(), registry()
    all_figures.register(figures)
    about = config["cluster"], config["links"]
    serve(
        config["listen"],
        application(
            make_wsgi_app(all_figures),
            lambda: page(figures.found, *about, time.time(), config["interval"]),
        ),
        config["hosts"],
    )
    reader = Reader(Kafka(config["kafka"]), config["exclude"])
    while not ended.is_set():
        try:
            found = reader.read(time.time())
        except KafkaException as error:
            LOG.warning("offsets cannot be read: %s", error)
            found = figures.found
        shown = {
            each: certificate_expiry(each, config["ca_file"]) for each in config["certificates"]
        }
        figures.found = replace(
            found,
            certificates={each: until for each, until in shown.items() if until is not None},
            pipelines={
                name: driver_state(where, name, config["page_login"])
                for name, where in config["pipelines"].items()
            },
            masters={
                name: master_state(where, config["page_login"])
                for name, where in config["masters"].items()
            },
            workers=config["workers"],
            engines=engines(config["prometheus"], config["prometheus_login"])
            if config["prometheus"]
            else {},
            operation=operation(config["operations"], config["cluster"]),
        )
        ended.wait(config["interval"])


def probe(config: Mapping[str, Any], ended: threading.Event) -> None:
    """Write and read until the end."""
    figures = registry()
    score = Score(figures, time.time())
    serve(config["listen"], make_wsgi_app(figures), config["hosts"])
    partitions: list[int] = []
    while not partitions and not ended.is_set():
        try:
            partitions = topic_of(config["kafka"], config["topic"])
        except KafkaException as error:
            LOG.warning("topic %s is not there: %s", config["topic"], error)
            ended.wait(2)
    if not partitions:
        return
    score.begin(partitions, time.time())
    watcher = Probe(config["kafka"], config["topic"], partitions, score)
    threads = [threading.Thread(target=each) for each in (watcher.send, watcher.receive)]
    for thread in threads:
        thread.start()
    ended.wait()
    watcher.end()
    for thread in threads:
        thread.join()


def content_of(folder: Path) -> dict[str, bytes]:
    """What lies beside the configuration: certificates and the configuration itself."""
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}


def wait_for_change(
    folder: Path, known: Mapping[str, bytes], ended: threading.Event, every: float = CHANGES_S
) -> bool:
    """Whether a file is no longer as known; False when the program is to end first."""
    while not ended.wait(every):
        try:
            if content_of(folder) != known:
                return True
        except OSError:
            # Somebody is just writing.
            continue
    return False


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until SIGTERM; a rotated password or certificate starts it anew."""
    parser = argparse.ArgumentParser(prog="kafka-metal-watch", description=__doc__)
    parser.add_argument("role", choices=sorted(KEYS))
    parser.add_argument("config", type=Path)
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    folder = given.config.parent
    try:
        known = content_of(folder)
        config = config_of(given.role, json.loads(given.config.read_text()))
    except (OSError, ValueError) as error:
        parser.error(f"{given.config}: {error}")
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    changed = threading.Event()

    def look() -> None:
        if wait_for_change(folder, known, ended):
            changed.set()
            ended.set()

    threading.Thread(target=look, daemon=True).start()
    {"probe": probe, "exporter": export}[given.role](config, ended)
    if changed.is_set():
        LOG.info("files in %s changed: beginning anew", folder)
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
    return 0
