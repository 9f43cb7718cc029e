"""``kafka-metal-watch probe|exporter CONFIG``: metrics of a cluster from a client's view.

CONFIG is a JSON file. Keys of both: ``listen`` (HOST:PORT, IPv4 or IPv6), ``kafka`` (options of
librdkafka) and ``hosts`` (Host headers that are accepted in addition to addresses and localhost).
Key of the probe: ``topic``. Keys of the exporter: ``interval`` (seconds), ``exclude`` (regular
expression of groups), ``certificates`` (endpoints), ``ca_file``, ``warn_days`` (days before its
expiry from which a certificate is a problem), ``pipelines`` and ``masters`` (endpoints by name),
``page_login`` (their name:password in base64) and ``workers`` (pages of Spark workers). Keys of the
exporter's page: ``cluster`` (its name), ``links`` (pages of other clusters by name), ``operations``
(folder with the files of operations in progress and the declared content), ``places`` (instance,
group and machine of each instance, in start order), ``prometheus`` (HOST:PORT) and
``prometheus_login`` (name:password in base64, empty without a password).
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
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any, NoReturn
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

from .cluster import Kafka
from .exporter import Exporter
from .findings import problems
from .hosts import restrict_hosts
from .metrics import ClusterCollector
from .page import Application, application, page, problems_json
from .probe import Probe, ProbeMetrics, ensure_topic

LOG = logging.getLogger("kafka-metal-watch")
# Interval of checks for changed passwords and certificates, in seconds.
CHANGES_S = 5.0
KEYS = {
    "probe": {"listen", "kafka", "hosts", "topic"},
    "exporter": {
        *("listen", "kafka", "hosts", "interval", "exclude"),
        *("certificates", "ca_file", "warn_days", "pipelines", "masters", "page_login", "workers"),
        *("cluster", "links", "operations", "places", "prometheus", "prometheus_login"),
    },
}
DEFAULTS: dict[str, dict[str, Any]] = {
    "probe": {"topic": "kafka-metal-probe", "hosts": []},
    "exporter": {
        **{"interval": 15, "exclude": "", "hosts": []},
        **{"certificates": [], "ca_file": "", "warn_days": 14},
        **{"pipelines": {}, "masters": {}, "page_login": "", "workers": {}},
        **{"cluster": "kafka", "links": {}, "operations": "", "places": []},
        **{"prometheus": "", "prometheus_login": ""},
    },
}


class ConfigError(ValueError):
    """The configuration is invalid; the message names the key and the error."""


def parse_config(role: str, found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the validated configuration with defaults; raise ConfigError."""
    unknown = sorted(set(found) - KEYS[role])
    if unknown:
        raise ConfigError(
            f"{unknown[0]}: unknown key of {role}; allowed: {', '.join(sorted(KEYS[role]))}"
        )
    for key in ("listen", "kafka"):
        if key not in found:
            raise ConfigError(f"{key}: is missing")
    if found.get("certificates") and not found.get("ca_file"):
        raise ConfigError("certificates: require ca_file, the CA that signed them")
    return {**DEFAULTS[role], **found}


def process_registry() -> CollectorRegistry:
    """Return a registry with the metrics of the process itself."""
    # The creation times of series double their number, and nothing uses them.
    disable_created_metrics()  # type: ignore[no-untyped-call]
    result = CollectorRegistry()
    ProcessCollector(registry=result)
    PlatformCollector(registry=result)
    GCCollector(registry=result)
    return result


class Server(ThreadingMixIn, WSGIServer):
    """HTTP server for IPv4 and IPv6, with a thread per request so slow clients block no others."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], handler: type[WSGIRequestHandler]) -> None:
        """Set the address family before the socket is created: the library supports only IPv4."""
        host, port = address
        found = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        self.address_family = found[0][0]
        super().__init__((host, port), handler)


class Handler(WSGIRequestHandler):
    """Request handler that does not log requests."""

    timeout = 10

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def serve(endpoint: str, app: Application, hosts: Sequence[str] = ()) -> None:
    """Serve at HOST:PORT until the process ends; an IPv6 address may be in brackets."""
    host, _, port = endpoint.rpartition(":")
    server = make_server(
        host.strip("[]"),
        int(port),
        restrict_hosts(app, [host, *hosts]),
        server_class=Server,
        handler_class=Handler,
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()


def export(config: Mapping[str, Any], ended: threading.Event) -> None:
    """Serve the state of the cluster, and read it until ``ended`` is set."""
    interval = config["interval"]
    exporter = Exporter(config, Kafka(config["kafka"]))
    metrics = process_registry()
    metrics.register(
        ClusterCollector(exporter.state, lambda found: problems(found, time.time(), interval))
    )
    cluster, links = config["cluster"], config["links"]
    serve(
        config["listen"],
        application(
            make_wsgi_app(metrics),
            lambda: page(exporter.state(), cluster, links, time.time(), interval),
            lambda: problems_json(exporter.state(), cluster, time.time(), interval),
        ),
        config["hosts"],
    )
    exporter.run(ended)


def probe(config: Mapping[str, Any], ended: threading.Event) -> None:
    """Produce and consume until ``ended`` is set."""
    registry = process_registry()
    metrics = ProbeMetrics(registry, time.time())
    serve(config["listen"], make_wsgi_app(registry), config["hosts"])
    partitions: list[int] = []
    while not partitions and not ended.is_set():
        try:
            partitions = ensure_topic(config["kafka"], config["topic"])
        except KafkaException as error:
            LOG.warning("cannot find or create topic %s: %s", config["topic"], error)
            ended.wait(2)
    if not partitions:
        return
    metrics.begin(partitions, time.time())
    running = Probe(config["kafka"], config["topic"], partitions, metrics)
    threads = [threading.Thread(target=each) for each in (running.send, running.receive)]
    for thread in threads:
        thread.start()
    ended.wait()
    running.end()
    for thread in threads:
        thread.join()


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the content of all files in a folder: the configuration and its certificates."""
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}


def wait_for_change(
    folder: Path, known: Mapping[str, bytes], ended: threading.Event, every: float = CHANGES_S
) -> bool:
    """Wait until the files differ from ``known``; return False if ``ended`` is set before."""
    while not ended.wait(every):
        try:
            if read_files(folder) != known:
                return True
        except OSError:
            # A file is being replaced.
            continue
    return False


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run until SIGTERM; re-execute the process when a password or certificate changed."""
    parser = argparse.ArgumentParser(prog="kafka-metal-watch", description=__doc__)
    parser.add_argument("role", choices=sorted(KEYS))
    parser.add_argument("config", type=Path)
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    folder = options.config.parent
    try:
        known = read_files(folder)
        config = parse_config(options.role, json.loads(options.config.read_text()))
    except (OSError, ValueError) as error:
        parser.error(f"{options.config}: {error}")
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    changed = threading.Event()

    def watch_files() -> None:
        if wait_for_change(folder, known, ended):
            changed.set()
            ended.set()

    threading.Thread(target=watch_files, daemon=True).start()
    code = 0
    try:
        {"probe": probe, "exporter": export}[options.role](config, ended)
    except Exception:
        LOG.exception("the %s ends by a fault", options.role)
        code = 1
    if changed.is_set() and not code:
        LOG.info("files in %s changed: restarting", folder)
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
    # At its end Python waits for all threads, and one may read until its time limit.
    logging.shutdown()
    os._exit(code)
