"""Two writers share a container's directory: rendered configuration, and keys next to it."""

import json

import pytest
from ansible.module_utils import basic
from ansible_collections.metal.kafka.plugins.modules import service_files


@pytest.fixture
def run(monkeypatch, capsys):
    def run(**arguments):
        parameters = json.dumps({"ANSIBLE_MODULE_ARGS": arguments}).encode()
        monkeypatch.setattr(basic, "_ANSIBLE_ARGS", parameters)
        monkeypatch.setattr(basic, "_ANSIBLE_PROFILE", "legacy", raising=False)
        with pytest.raises(SystemExit):
            service_files.main()
        return json.loads(capsys.readouterr().out)

    return run


def test_keep_preserves_files_of_other_writers(run, tmp_path):
    rendered = {"dest": str(tmp_path), "files": [{"name": "zoo.cfg", "content": "a=1\n"}]}
    keys = {"dest": str(tmp_path), "secret_files": [{"name": "ca.pem", "content": "CA\n"}]}
    run(**rendered, keep=["ca.pem"])
    run(**keys, keep=["zoo.cfg"])

    assert not run(**rendered, keep=["ca.pem"])["changed"]
    assert not run(**keys, keep=["zoo.cfg"])["changed"]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["ca.pem", "zoo.cfg"]


def test_undeclared_file_is_removed(run, tmp_path):
    (tmp_path / "outdated.pem").write_text("old")
    result = run(dest=str(tmp_path), keep=["ca.pem"])

    assert result["changed"]
    assert result["steps"] == [f"{tmp_path.name}/outdated.pem is removed"]
    assert not list(tmp_path.iterdir())


def test_a_damaged_file_is_replaced(run, tmp_path):
    declared = {"dest": str(tmp_path), "files": [{"name": "zoo.cfg", "content": "a=1\n"}]}
    (tmp_path / "zoo.cfg").write_bytes(b"a=\xff\n")

    assert run(**declared)["changed"]
    assert (tmp_path / "zoo.cfg").read_text() == "a=1\n"
    assert not run(**declared)["changed"]
