"""Removed clusters and drivers leave no files on their machines."""

import json
import socketserver
import threading
from http.server import BaseHTTPRequestHandler

import pytest
import yaml
from ansible_collections.metal.kafka.plugins.module_utils._host.engine_api import EngineError
from ansible_collections.metal.kafka.plugins.modules import cluster_data
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.service_data import (
    container_paths,
)
from plays import ROOT, run, with_collection, with_locks

# Replaces the module that reads the engine's containers.
FAKE = """#!/usr/bin/python
DOCUMENTATION = "{module: fake, short_description: Return fixed containers, options: {}}"
from ansible.module_utils.basic import AnsibleModule
OPTIONS = {name: {"type": "raw"} for name in %(options)r}
AnsibleModule(OPTIONS, supports_check_mode=True).exit_json(changed=False, containers=%(found)r)
"""
REMOVED = ("name", "state", "stop_timeout")
PLACES = ("etc/{}/a", "log/{}/log", "etc/.last-good/{}.json", "etc/.as-left/{}")
PLAYS = {
    "withdrawn": {
        "hosts": "metal",
        "tasks": [
            {"include_role": {"name": "metal.kafka.pipeline", "tasks_from": name}}
            for name in ("find_undeclared", "remove_undeclared")
        ],
    },
    "destroyed": {"import_playbook": str(ROOT / "playbooks/internal_undeclared.yml")},
}


def container(name, cluster="prod"):
    labels = {
        **{"kafka-metal.instance": name, "kafka-metal.cluster": cluster},
        "kafka-metal.service": name.partition("-")[0],
    }
    own = f"/{cluster}-{name}"
    return {"Id": own[1:], "Names": [own], "Labels": labels, "State": "running"}


class Engine(BaseHTTPRequestHandler):
    """Lists containers and removes them."""

    def do_GET(self):
        assert self.path.startswith("/containers/json?all=1")
        self.respond(200, json.dumps(self.server.containers).encode())

    def do_DELETE(self):
        name = self.path.removeprefix("/containers/").removesuffix("?force=1&v=1")
        before = self.server.containers
        self.server.containers = [each for each in before if each["Id"] != name]
        self.respond(204 if len(self.server.containers) < len(before) else 404, b"")

    def respond(self, status, content):
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def address_string(self):
        return "a client"

    def log_message(self, *arguments):
        pass


@pytest.fixture
def engine(tmp_path):
    """An engine with containers of two clusters, on a socket."""
    path = str(tmp_path / "engine.sock")
    with socketserver.ThreadingUnixStreamServer(path, Engine) as server:
        server.path, server.containers = path, []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def left(tmp_path, engine):
    """Containers that still have a file on the machine after a play."""

    def play(name, *containers, options=()):
        with_collection(tmp_path)
        engine.containers = [*map(container, containers), container("kafka1", "prod-2")]
        modules = tmp_path / "ansible_collections/community/docker/plugins/modules"
        modules.mkdir(parents=True)
        found = [container(each) for each in containers]
        fake = FAKE % {"options": REMOVED, "found": found}
        (modules / "docker_container.py").write_text(fake)
        kept = [(each, tmp_path / p.format(f"prod-{each}")) for each in containers for p in PLACES]
        for _, path in kept:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        given = {
            **{"cluster_name": "prod", "pipeline_pipelines": {"a": {}, "b": {}}},
            **{"service_config_root": f"{tmp_path}/etc", "service_log_root": f"{tmp_path}/log"},
            "docker_socket": engine.path,
        }
        code, output = run(tmp_path, [PLAYS[name]], {"metal": {"localhost": given}}, *options)
        assert code == 0, output
        play.done = sum(line.startswith(("ok: [", "changed: [")) for line in output.splitlines())
        return {each for each, path in kept if path.exists()}

    return play


def test_withdrawn_driver_leaves_no_files(left):
    drivers = ["pipeline-a", "pipeline-b", "pipeline-gone"]
    assert left("withdrawn", *drivers) == {"pipeline-a", "pipeline-b"}


def test_deleted_cluster_leaves_no_files(left, engine):
    assert left("destroyed", "pipeline-a", "kafka9") == set()
    assert [each["Id"] for each in engine.containers] == ["prod-2-kafka1"]


def test_check_mode_of_destroy_uses_a_fixed_number_of_tasks(left, engine):
    """In check mode every container of the cluster still exists."""
    names = {f"kafka{number}" for number in range(12)}
    assert left("destroyed", *names, options=["--check"]) == names
    assert len(engine.containers) == 13
    assert left.done <= 4


def test_failed_removal_does_not_block_the_others(monkeypatch):
    tried = []

    def remove(name, socket):
        tried.append(name)
        if name == "prod-a":
            raise EngineError("the engine refuses")

    monkeypatch.setattr(cluster_data.container_state, "remove", remove)
    linked = container("b") | {"Names": ["/other/alias", "/prod-b"]}
    problem = cluster_data.remove([container("a"), linked], "/none")

    assert tried == ["prod-a", "prod-b"]
    assert problem == "container prod-a: the engine refuses"
    assert cluster_data.container_name(linked) == "prod-b"


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../a", "a\n"])
def test_empty_name_gives_no_path(name):
    with pytest.raises(ValueError, match="found the container name"):
        container_paths(name, "/etc/kafka-metal", "/var/log/kafka-metal")


def test_nothing_of_a_deleted_cluster_is_left_on_a_machine(tmp_path):
    with_locks(tmp_path)
    names = (
        *(
            ".as-left/gone@localhost.json",
            "record",
            "moves",
            "text/gone@operation.prom",
            "locks/gone.json",
        ),
        *(".as-left/gone@sql", "gone-demo"),
    )
    files = [tmp_path / name for name in names]
    others = [
        tmp_path / name
        for name in ("text/other@operation.prom", "locks/other.json", "other-gone-demo")
    ]
    for path in [*files, *others]:
        path.parent.mkdir(exist_ok=True)
        path.touch()
    forget = yaml.safe_load((ROOT / "playbooks/internal_forget.yml").read_text())
    evident = [str(tmp_path / name) for name in ("gone-demo", "data/of/kafka1")]
    given = {
        **{"cluster_name": "gone", "destroy_found": {"delete": {"localhost": evident}}},
        **{"service_config_root": str(tmp_path), "roll_textfile_dir": f"{tmp_path}/text"},
        **{"kafka_content_applied_file": str(files[1]), "kafka_content_throttles": str(files[2])},
    }
    code, output = run(tmp_path, forget, {"metal": {"localhost": given}})

    assert code == 0, output
    assert [path.name for path in files if path.exists()] == []
    assert all(path.exists() for path in others)


@pytest.mark.parametrize("installed", [False, True])
def test_stopped_engine_may_have_containers(monkeypatch, installed):
    monkeypatch.setattr(cluster_data.engine_facts, "is_installed", lambda: installed)
    if installed:
        with pytest.raises(EngineError, match="although an engine is installed"):
            cluster_data.list_containers("/none")
    else:
        assert cluster_data.list_containers("/none") == []
