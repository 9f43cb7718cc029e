"""Prometheus and Alertmanager reject requests without the password, whatever their Host header."""

import base64
import contextlib
import json
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from socket import create_server
from typing import Any

import pytest
import yaml
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.monitoring_files import (
    read_jobs,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.prometheus import (
    prometheus_config,
    target_file,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.web_password import web_config
from conftest import reference

PASSWORD, NEXT = "first-password", "second-password"
ALERT = {"alert": "Always", "expr": "vector(1)", "labels": {"cluster": "c"}}
PATHS = {
    "prometheus": ["/", "/metrics", "/api/v1/query?query=up", "/api/v1/alerts", "/-/healthy"],
    "alertmanager": ["/", "/metrics", "/api/v2/silences", "/api/v2/alerts", "/-/healthy"],
}


def set_password(folder: Path, password: str) -> None:
    """Write the web configuration of both servers, and the password file of Prometheus."""
    (folder / "web.yml").write_text(yaml.safe_dump(web_config(password)))
    (folder / "web.password").write_text(password)


def free_ports() -> list[int]:
    with create_server(("127.0.0.1", 0)) as one, create_server(("127.0.0.1", 0)) as other:
        return [one.getsockname()[1], other.getsockname()[1]]


@pytest.fixture
def addresses(folder: Path) -> Iterator[dict[str, str]]:
    """Run both servers as the role does; return their addresses by name."""
    ports = dict(zip(PATHS, free_ports(), strict=True))
    places = {name: f"127.0.0.1:{port}" for name, port in ports.items()}
    declared = read_jobs()
    jobs = {name: declared[name] | {"interval": "1s"} for name in PATHS}
    config = prometheus_config(jobs, [places["alertmanager"]], folder="/work", password=True)
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    rules = {"groups": [{"name": "g", "interval": "1s", "rules": [ALERT]}]}
    (folder / "rules.yml").write_text(yaml.safe_dump(rules))
    for name, place in places.items():
        target = {"address": place, "cluster": "c", "host": "h", "instance": name}
        (folder / f"targets-{name}.json").write_text(target_file(name, [target]))
    alerts = {"route": {"receiver": "none"}, "receivers": [{"name": "none"}]}
    (folder / "alertmanager.yml").write_text(yaml.safe_dump(alerts))
    client = {"basic_auth": {"username": "operator", "password_file": "/work/web.password"}}
    (folder / "client.yml").write_text(yaml.safe_dump(client))
    set_password(folder, PASSWORD)
    commands = {
        "prometheus": ["prometheus", "--storage.tsdb.path=/data"],
        "alertmanager": [
            *("prometheus-alertmanager", "--storage.path=/data", "--cluster.listen-address=")
        ],
    }
    with contextlib.ExitStack() as running:
        for name, command in commands.items():
            container = f"kafka-metal-test-{name}-{ports[name]}"
            running.callback(
                subprocess.run, ["docker", "rm", "--force", container], capture_output=True
            )
            subprocess.run(
                [
                    *("docker", "run", "--detach", "--rm", "--name", container),
                    *("--network", "host", "--read-only", "--cap-drop", "ALL"),
                    *("--user", "10001:10001", "--tmpfs", "/data:mode=1777"),
                    *("--volume", f"{folder}:/work:ro", reference(name), *command),
                    *(f"--config.file=/work/{name}.yml", "--web.config.file=/work/web.yml"),
                    f"--web.listen-address={places[name]}",
                ],
                check=True,
                capture_output=True,
            )
        yield places


def request(place: str, path: str, password: str, host: str = "") -> urllib.request.Request:
    """Return a request with the password, if any; ``host`` replaces the Host header."""
    encoded = base64.b64encode(f"operator:{password}".encode()).decode()
    login = {"Authorization": f"Basic {encoded}"} if password else {}
    named = {"Host": host} if host else {}
    return urllib.request.Request(f"http://{place}{path}", headers={**named, **login})


def status(place: str, path: str, password: str = "", host: str = "attacker.example") -> int:
    """Return the HTTP status, or 0 while the server does not respond."""
    try:
        with urllib.request.urlopen(request(place, path, password, host), timeout=5) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def read_json(place: str, path: str, password: str) -> Any:
    with urllib.request.urlopen(request(place, path, password), timeout=5) as response:
        return json.load(response)


def wait_until(what: str, true: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, what
        time.sleep(0.3)


def healthy(places: dict[str, str], password: str) -> bool:
    return all(status(place, "/-/ready", password) == 200 for place in places.values())


def up(places: dict[str, str], password: str, since: float) -> bool:
    """Whether Prometheus scraped both servers after the time ``since``."""
    found = read_json(places["prometheus"], "/api/v1/query?query=timestamp(up==1)", password)
    return sum(float(each["value"][1]) > since for each in found["data"]["result"]) == len(PATHS)


def alerted(places: dict[str, str], password: str) -> bool:
    alerts = read_json(places["alertmanager"], "/api/v2/alerts", password)
    return any(each["labels"]["alertname"] == "Always" for each in alerts)


def test_servers_require_the_password_and_prometheus_uses_it(addresses, folder):
    wait_until("both are ready", lambda: healthy(addresses, PASSWORD))
    for name, place in addresses.items():
        for path in PATHS[name]:
            for host in (place, "localhost", "attacker.example"):
                assert status(place, path, host=host) == 401, (name, path, host)
                assert status(place, path, "wrong", host) == 401, (name, path, host)
            assert status(place, path, PASSWORD) == 200, (name, path)
    wait_until("both are scraped", lambda: up(addresses, PASSWORD, 0))
    wait_until("Alertmanager has the alert", lambda: alerted(addresses, PASSWORD))

    container = f"kafka-metal-test-prometheus-{addresses['prometheus'].split(':')[1]}"
    tool = subprocess.run(
        [
            *("docker", "exec", container, "promtool", "query", "-o", "json"),
            *("--http.config.file=/work/client.yml", "instant"),
            *(f"http://{addresses['prometheus']}", "up"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert tool.returncode == 0, tool.stderr
    assert len(json.loads(tool.stdout)) == len(PATHS)

    # A new password applies immediately, without a restart.
    set_password(folder, NEXT)
    wait_until("the new password is required", lambda: healthy(addresses, NEXT))
    assert status(addresses["prometheus"], "/metrics", PASSWORD) == 401
    assert status(addresses["alertmanager"], "/metrics", PASSWORD) == 401
    changed = time.time()
    wait_until("both are scraped with it", lambda: up(addresses, NEXT, changed))
