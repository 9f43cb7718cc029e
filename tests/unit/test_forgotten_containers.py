"""What is gone for good leaves nothing of its name behind on its machine."""

import pytest
import yaml
from plays import ROOT, run, with_collection

# In place of the engine, with the containers of a cluster.
FAKE = """#!/usr/bin/python
DOCUMENTATION = "{module: fake, short_description: Answers in place of the engine, options: {}}"
from ansible.module_utils.basic import AnsibleModule
OPTIONS = {name: {"type": "raw"} for name in %(options)r}
AnsibleModule(OPTIONS, supports_check_mode=True).exit_json(changed=False, containers=%(found)r)
"""
LISTED = ("containers", "containers_all", "containers_filters", "verbose_output")
REMOVED = ("name", "state", "stop_timeout", "force_kill")
PLACES = ("etc/{}/a", "log/{}/log", "etc/.last-good/{}.json", "etc/.as-left/{}")
PLAYS = {
    "withdrawn": {
        "hosts": "metal",
        "tasks": [{"include_role": {"name": "metal.kafka.pipeline", "tasks_from": "undeclared"}}],
    },
    "destroyed": {"import_playbook": str(ROOT / "playbooks/internal_undeclared.yml")},
}


def container(name):
    labels = {"kafka-metal.instance": name, "kafka-metal.cluster": "prod"}
    return {"Names": [f"/prod-{name}"], "Labels": labels, "State": "running"}


@pytest.fixture
def left(tmp_path):
    """Containers of which a machine still keeps a file, once a play has run."""

    def play(name, *containers):
        with_collection(tmp_path)
        modules = tmp_path / "ansible_collections/community/docker/plugins/modules"
        modules.mkdir(parents=True)
        found = [container(each) for each in containers]
        for module, options in (("docker_host_info", LISTED), ("docker_container", REMOVED)):
            (modules / f"{module}.py").write_text(FAKE % {"options": options, "found": found})
        kept = [(each, tmp_path / p.format(f"prod-{each}")) for each in containers for p in PLACES]
        for _, path in kept:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        given = {
            **{"cluster_name": "prod", "pipeline_pipelines": {"a": {}, "b": {}}},
            **{"service_config_root": f"{tmp_path}/etc", "service_log_root": f"{tmp_path}/log"},
        }
        code, output = run(tmp_path, [PLAYS[name]], {"metal": {"localhost": given}})
        assert code == 0, output
        return {each for each, path in kept if path.exists()}

    return play


def test_a_driver_that_was_withdrawn(left):
    drivers = ["pipeline-a", "pipeline-b", "pipeline-gone"]
    assert left("withdrawn", *drivers) == {"pipeline-a", "pipeline-b"}


def test_whatever_carries_the_name_of_a_cluster_that_is_deleted(left):
    assert left("destroyed", "pipeline-a", "kafka9") == set()


def test_nothing_of_a_deleted_cluster_speaks_of_an_operation(tmp_path):
    with_collection(tmp_path)
    files = [tmp_path / name for name in ("note", "record", "moves", "text/gone@operation.prom")]
    others = tmp_path / "text/other@operation.prom"
    others.parent.mkdir()
    for path in [*files, others]:
        path.touch()
    forget = yaml.safe_load((ROOT / "playbooks/internal_forget.yml").read_text())
    given = {
        **{"cluster_name": "gone", "destroy_found": {"delete": {}}},
        **{"service_config_root": str(tmp_path), "roll_textfile_dir": f"{tmp_path}/text"},
        **{"site_note": str(files[0]), "kafka_content_record": str(files[1])},
        "kafka_content_throttles": str(files[2]),
    }
    code, output = run(tmp_path, forget, {"metal": {"localhost": given}})

    assert code == 0, output
    assert [path.name for path in files if path.exists()] == []
    assert others.exists()
