"""State of a cluster on a machine's disks, with and without a container engine."""

import builtins
import errno
import json
import os
from urllib.parse import unquote

import pytest
import site_ca
from ansible_collections.metal.kafka.plugins.module_utils._host import (
    container_processes,
    engine_api,
    trusted_cas,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._security.pki import pem

OWN, OTHER = site_ca.make("Own"), site_ca.make("Other")
CONTAINERS = [
    {"Names": ["/local-kafka1"], "State": "running"},
    {"Names": ["/local-kafka2"], "State": "exited"},
    {"Names": ["/local-exporter1"], "State": "restarting"},
]


def prints(*authorities):
    return sorted(pem.fingerprint(each.certificate) for each in authorities)


class Machine:
    """A machine's directories below ``root``; ``engine`` has its containers, None without one."""

    def __init__(self, root):
        self.config, self.root = root / "etc", root
        self.config.mkdir()
        self.engine, self.requests = None, []
        self.paths = []

    def trusts(self, container, *authorities):
        folder = self.config / container
        folder.mkdir()
        (folder / "ca.pem").write_text(pem.to_pem(each.certificate for each in authorities))

    def holds(self, name, marker):
        path = self.root / name
        path.mkdir()
        (path / marker).touch()
        self.paths.append(str(path))

    def inspect(self, cluster="local"):
        baseline = f"{self.config}/.as-left/{cluster}@node1.json"
        return trusted_cas.inspect("socket", cluster, baseline, self.paths)


@pytest.fixture
def host(tmp_path, monkeypatch):
    made = Machine(tmp_path)

    def get_json(_, request):
        made.requests.append(request)
        return made.engine

    monkeypatch.setattr(engine_api, "get_json", get_json)
    monkeypatch.setattr(container_processes, "find_containers", list)
    return made


def test_running_containers_and_their_cas_are_reported(host):
    host.engine = CONTAINERS
    host.trusts("local-kafka1", OWN)
    host.trusts("local-kafka2", OWN, OTHER)
    found = host.inspect()
    assert found["running"] == ["local-exporter1", "local-kafka1"]
    assert found["roots"] == prints(OWN, OTHER)
    assert json.dumps({"label": ["kafka-metal.cluster=local"]}) in unquote(host.requests[0])


@pytest.mark.parametrize("engine", [None, []], ids=["engine does not respond", "no containers"])
@pytest.mark.parametrize("service", ["local-kafka7", "local-zk1"])
def test_cas_are_read_from_directories_without_containers(host, engine, service):
    host.engine = engine
    host.trusts(service, OWN)
    assert host.inspect() == {
        **{"running": [], "configured": [service], "roots": prints(OWN)},
        **{"data": [], "unreadable": []},
    }


def test_baseline_lists_services_of_any_kind(host):
    host.trusts("local-anything", OWN)
    (host.config / ".as-left").mkdir()
    baseline = host.config / ".as-left/local@node1.json"
    baseline.write_text(json.dumps({"containers": {"local-anything": "fingerprint"}}))
    assert host.inspect()["roots"] == prints(OWN)


@pytest.mark.parametrize("other", ["local2-kafka1", "local-two-kafka1", "local-kafka1-kafka2"])
def test_cluster_with_the_same_prefix_is_excluded(host, other):
    host.trusts(other, OTHER)
    assert host.inspect()["roots"] == []


@pytest.mark.parametrize("marker", ["meta.properties", "myid", "version-2"])
def test_directories_with_data_are_reported(host, marker):
    host.holds("full", marker)
    host.holds("other", "something")
    assert host.inspect()["data"] == [f"{host.root}/full"]


def test_plaintext_cluster_has_configuration_and_no_cas(host):
    (host.config / "local-kafka1").mkdir()
    found = host.inspect()
    assert found["configured"] == ["local-kafka1"]
    assert (found["roots"], found["unreadable"]) == ([], [])


def test_new_machine_has_no_state_and_no_errors(host):
    host.config.rmdir()
    host.paths = [f"{host.root}/data/missing/directory"]
    assert set(map(tuple, host.inspect().values())) == {()}


@pytest.mark.parametrize("code", [errno.EACCES, errno.EIO, errno.ESTALE])
def test_unreadable_files_are_reported_with_the_reason(host, monkeypatch, code):
    host.trusts("local-kafka1", OWN)
    host.holds("disk1", "meta.properties")
    (path,), real_open, real_list = host.paths, builtins.open, os.listdir

    def refusing(real):
        def tried(name, *more, **options):
            if str(name) == path or str(name).endswith("ca.pem"):
                raise OSError(code, os.strerror(code), str(name))
            return real(name, *more, **options)

        return tried

    monkeypatch.setattr(builtins, "open", refusing(real_open))
    monkeypatch.setattr(os, "listdir", refusing(real_list))
    reason = os.strerror(code)
    assert host.inspect()["unreadable"] == [
        f"{host.config}/local-kafka1/ca.pem: {reason}",
        f"{path}: {reason}",
    ]


@pytest.mark.parametrize("text", ["", "nothing", "-----BEGIN CERTIFICATE-----\n"])
def test_ca_file_without_certificate_is_unread(host, text):
    folder = host.config / "local-kafka1"
    folder.mkdir()
    (folder / "ca.pem").write_text(text)
    assert host.inspect()["unreadable"] == [f"{folder}/ca.pem: no certificate in it"]
