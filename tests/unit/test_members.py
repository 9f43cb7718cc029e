"""Which CAs the containers of a cluster on a machine trust."""

import json
from urllib.parse import unquote

import pytest
import site_ca
from ansible_collections.metal.kafka.plugins.module_utils import machine, members
from ansible_collections.metal.kafka.plugins.module_utils.pki import pem

OWN, OTHER = site_ca.make("Own"), site_ca.make("Other")
CONTAINERS = [
    {"Names": ["/local-kafka1"], "State": "running"},
    {"Names": ["/local-kafka2"], "State": "exited"},
    {"Names": ["/local-exporter1"], "State": "restarting"},
]


@pytest.fixture
def look(tmp_path, monkeypatch):
    """Look at a machine with these containers."""

    def at(containers, **trusted):
        for name, authorities in trusted.items():
            folder = tmp_path / f"local-{name}"
            folder.mkdir()
            (folder / "ca.pem").write_text(pem.pem(each.certificate for each in authorities))
        asked = []

        def ask(_, question):
            asked.append(question)
            return containers

        monkeypatch.setattr(machine, "ask", ask)
        found = members.look("socket", "local", str(tmp_path))
        assert json.dumps({"label": ["kafka-metal.cluster=local"]}) in unquote(asked[0])
        return found

    return at


def test_containers_that_run_and_all_they_trust_are_told(look):
    found = look(CONTAINERS, kafka1=[OWN], kafka2=[OWN, OTHER])
    assert found["running"] == ["local-exporter1", "local-kafka1"]
    assert found["roots"] == sorted(pem.fingerprint(each.certificate) for each in (OWN, OTHER))


def test_a_folder_that_a_container_has_left_says_nothing(look):
    assert look([], kafka1=[OWN]) == {"running": [], "roots": []}


def test_a_machine_without_an_engine_has_no_members(look):
    assert look(None) == {"running": [], "roots": []}
