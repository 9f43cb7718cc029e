"""The real Prometheus and Alertmanager answer nobody without the password, whatever Host says."""

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


def close(folder: Path, password: str) -> None:
    """Lay down what both programs ask for, and what Prometheus authenticates with."""
    (folder / "web.yml").write_text(yaml.safe_dump(web_config(password)))
    (folder / "web.password").write_text(password)


def free_ports() -> list[int]:
    with create_server(("127.0.0.1", 0)) as one, create_server(("127.0.0.1", 0)) as other:
        return [one.getsockname()[1], other.getsockname()[1]]


@pytest.fixture
def addresses(folder: Path) -> Iterator[dict[str, str]]:
    """Both programs as the role runs them, and where they answer."""
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
    alerts = {"route": {"receiver": "nobody"}, "receivers": [{"name": "nobody"}]}
    (folder / "alertmanager.yml").write_text(yaml.safe_dump(alerts))
    client = {"basic_auth": {"username": "operator", "password_file": "/work/web.password"}}
    (folder / "client.yml").write_text(yaml.safe_dump(client))
    close(folder, PASSWORD)
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
    """A question with the password, if any; ``host``: another Host than the place."""
    shown = base64.b64encode(f"operator:{password}".encode()).decode()
    login = {"Authorization": f"Basic {shown}"} if password else {}
    named = {"Host": host} if host else {}
    return urllib.request.Request(f"http://{place}{path}", headers={**named, **login})


def status(place: str, path: str, password: str = "", host: str = "attacker.example") -> int:
    """The status of an answer; 0 while nobody answers."""
    try:
        with urllib.request.urlopen(request(place, path, password, host), timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def said(place: str, path: str, password: str) -> Any:
    with urllib.request.urlopen(request(place, path, password), timeout=5) as answer:
        return json.load(answer)


def until(what: str, true: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, what
        time.sleep(0.3)


def healthy(places: dict[str, str], password: str) -> bool:
    return all(status(place, "/-/ready", password) == 200 for place in places.values())


def up(places: dict[str, str], password: str, since: float) -> bool:
    """Whether Prometheus reads both, by what it read after a moment."""
    found = said(places["prometheus"], "/api/v1/query?query=timestamp(up==1)", password)
    return sum(float(each["value"][1]) > since for each in found["data"]["result"]) == len(PATHS)


def alerted(places: dict[str, str], password: str) -> bool:
    alerts = said(places["alertmanager"], "/api/v2/alerts", password)
    return any(each["labels"]["alertname"] == "Always" for each in alerts)


def test_who_shows_no_password_gets_nothing_and_who_reads_has_it(addresses, folder):
    until("both are ready", lambda: healthy(addresses, PASSWORD))
    for name, place in addresses.items():
        for path in PATHS[name]:
            for host in (place, "localhost", "attacker.example"):
                assert status(place, path, host=host) == 401, (name, path, host)
                assert status(place, path, "wrong", host) == 401, (name, path, host)
            assert status(place, path, PASSWORD) == 200, (name, path)
    until("both are read", lambda: up(addresses, PASSWORD, 0))
    until("an alert is with Alertmanager", lambda: alerted(addresses, PASSWORD))

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

    # A new password counts at once, and nothing restarts.
    close(folder, NEXT)
    until("the new password is asked for", lambda: healthy(addresses, NEXT))
    assert status(addresses["prometheus"], "/metrics", PASSWORD) == 401
    assert status(addresses["alertmanager"], "/metrics", PASSWORD) == 401
    changed = time.time()
    until("both are read with it", lambda: up(addresses, NEXT, changed))
