"""Two writers share the directory of one container: rendered configuration, and keys beside it."""

import json

import pytest
from ansible.module_utils import basic
from ansible_collections.metal.kafka.plugins.modules import service_files


@pytest.fixture
def run(monkeypatch, capsys):
    def run(**arguments):
        words = json.dumps({"ANSIBLE_MODULE_ARGS": arguments}).encode()
        monkeypatch.setattr(basic, "_ANSIBLE_ARGS", words)
        monkeypatch.setattr(basic, "_ANSIBLE_PROFILE", "legacy", raising=False)
        with pytest.raises(SystemExit):
            service_files.main()
        return json.loads(capsys.readouterr().out)

    return run


def test_each_writer_keeps_what_the_other_one_has_written(run, tmp_path):
    rendered = {"dest": str(tmp_path), "files": [{"name": "zoo.cfg", "content": "a=1\n"}]}
    keys = {"dest": str(tmp_path), "secret_files": [{"name": "ca.pem", "content": "CA\n"}]}
    run(**rendered, keep=["ca.pem"])
    run(**keys, keep=["zoo.cfg"])

    assert not run(**rendered, keep=["ca.pem"])["changed"]
    assert not run(**keys, keep=["zoo.cfg"])["changed"]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["ca.pem", "zoo.cfg"]


def test_what_nobody_names_is_removed(run, tmp_path):
    (tmp_path / "yesterday.pem").write_text("old")
    told = run(dest=str(tmp_path), keep=["ca.pem"])

    assert told["changed"]
    assert told["steps"] == [f"{tmp_path.name}/yesterday.pem is removed"]
    assert not list(tmp_path.iterdir())
