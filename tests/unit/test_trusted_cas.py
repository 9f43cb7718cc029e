"""What a machine has of a cluster, by its disks, with and without a container engine."""

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
    """Folders of a machine below ``root``; ``engine`` is what its engine lists, None for none."""

    def __init__(self, root):
        self.config, self.root = root / "etc", root
        self.config.mkdir()
        self.engine, self.asked = None, []
        self.paths = []

    def trusts(self, container, *authorities):
        folder = self.config / container
        folder.mkdir()
        (folder / "ca.pem").write_text(pem.pem(each.certificate for each in authorities))

    def holds(self, name, marker):
        path = self.root / name
        path.mkdir()
        (path / marker).touch()
        self.paths.append(str(path))

    def look(self, cluster="local"):
        note = f"{self.config}/.as-left/{cluster}@node1.json"
        return trusted_cas.inspect("socket", cluster, note, self.paths)


@pytest.fixture
def host(tmp_path, monkeypatch):
    made = Machine(tmp_path)

    def ask(_, question):
        made.asked.append(question)
        return made.engine

    monkeypatch.setattr(engine_api, "ask", ask)
    monkeypatch.setattr(container_processes, "found", list)
    return made


def test_containers_that_run_and_all_they_trust_are_told(host):
    host.engine = CONTAINERS
    host.trusts("local-kafka1", OWN)
    host.trusts("local-kafka2", OWN, OTHER)
    found = host.look()
    assert found["running"] == ["local-exporter1", "local-kafka1"]
    assert found["roots"] == prints(OWN, OTHER)
    assert json.dumps({"label": ["kafka-metal.cluster=local"]}) in unquote(host.asked[0])


@pytest.mark.parametrize("engine", [None, []], ids=["no engine answers", "no container is left"])
@pytest.mark.parametrize("service", ["local-kafka7", "local-zk1"])
def test_folders_tell_the_ca_where_no_container_does(host, engine, service):
    host.engine = engine
    host.trusts(service, OWN)
    assert host.look() == {
        **{"running": [], "configured": [service], "roots": prints(OWN)},
        **{"data": [], "unread": []},
    }


def test_the_note_of_the_last_run_names_services_of_any_kind(host):
    host.trusts("local-anything", OWN)
    (host.config / ".as-left").mkdir()
    note = host.config / ".as-left/local@node1.json"
    note.write_text(json.dumps({"containers": {"local-anything": "fingerprint"}}))
    assert host.look()["roots"] == prints(OWN)


@pytest.mark.parametrize("other", ["local2-kafka1", "local-two-kafka1", "local-kafka1-kafka2"])
def test_a_cluster_whose_name_begins_alike_is_another(host, other):
    host.trusts(other, OTHER)
    assert host.look()["roots"] == []


@pytest.mark.parametrize("marker", ["meta.properties", "myid", "version-2"])
def test_directories_with_data_are_named(host, marker):
    host.holds("full", marker)
    host.holds("other", "something")
    assert host.look()["data"] == [f"{host.root}/full"]


def test_an_open_cluster_has_configuration_and_trusts_nobody(host):
    (host.config / "local-kafka1").mkdir()
    found = host.look()
    assert found["configured"] == ["local-kafka1"]
    assert (found["roots"], found["unread"]) == ([], [])


def test_a_fresh_machine_has_nothing_and_nothing_is_unread(host):
    host.config.rmdir()
    host.paths = [f"{host.root}/data/that/is/not/there"]
    assert set(map(tuple, host.look().values())) == {()}


@pytest.mark.parametrize("code", [errno.EACCES, errno.EIO, errno.ESTALE])
def test_what_is_there_and_cannot_be_read_is_named_with_its_reason(host, monkeypatch, code):
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
    said = os.strerror(code)
    assert host.look()["unread"] == [
        f"{host.config}/local-kafka1/ca.pem: {said}",
        f"{path}: {said}",
    ]


@pytest.mark.parametrize("text", ["", "nothing", "-----BEGIN CERTIFICATE-----\n"])
def test_a_ca_file_without_a_certificate_says_nothing_of_the_ca(host, text):
    folder = host.config / "local-kafka1"
    folder.mkdir()
    (folder / "ca.pem").write_text(text)
    assert host.look()["unread"] == [f"{folder}/ca.pem: no certificate in it"]
