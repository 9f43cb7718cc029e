"""A service with a new user is stopped before the owner of its data changes."""

import json

import plays
import pytest

# Each records its call and changes nothing.
SERVICE_FILES = """
from ansible.module_utils.basic import AnsibleModule
from ansible_collections.metal.kafka.plugins.module_utils._containers import service_file_options

module = AnsibleModule(service_file_options.OPTIONS, supports_check_mode=True)
given = module.params
with open("{log}", "a") as log:
    print("files", given["content"], given["owner"], given["group"], file=log)
foreign = [] if given["content"] == "keep" or not {foreign} else ["/data"]
container = {{"State": {{"Running": True}}, "unchanged": False, "altered": []}}
result = dict(changed=False, differs=[], steps=[], unavailable=[])
module.exit_json(foreign=foreign, container=container, **result)
"""
CONTAINER_INFO = """
from ansible.module_utils.basic import AnsibleModule

module = AnsibleModule({"name": {}, "lines": {}}, supports_check_mode=True)
module.exit_json(status="running")
"""
BASELINE = """
from ansible.module_utils.basic import AnsibleModule

module = AnsibleModule({"name": {}, "declared": {}, "baseline_file": {}, "socket": {}})
module.exit_json()
"""
ENGINE = """
from ansible.module_utils.basic import AnsibleModule

names = "name state restart recreate image pull entrypoint command command_handling user env mounts"
names += " network_mode restart_policy stop_timeout healthcheck memory memory_swap pids_limit init"
names += " cap_drop security_opts read_only tmpfs ulimits log_driver log_options labels comparisons"
options = {{name: {{"type": "raw"}} for name in names.split()}}
module = AnsibleModule(options, supports_check_mode=True)
if not module.check_mode:
    with open("{log}", "a") as log:
        print(module.params["state"], module.params["user"], file=log)
module.exit_json(changed=True, container={{}}, diff={{"after": {{}}}})
"""
IMAGE = """
from ansible.module_utils.basic import AnsibleModule

AnsibleModule({"name": {}}, supports_check_mode=True).exit_json(images=[1])
"""
# State of release 0.1.
KEPT = {
    "definition": {
        **{"name": "one-zk1", "image": "old", "user": "10001:10001", "volumes": [], "labels": {}},
        **{"network_mode": "host", "restart": "no", "stop_grace_period": "30s", "pids_limit": 1},
        **{"cap_drop": [], "security_opt": [], "read_only": True, "tmpfs": []},
        "logging": {"driver": "json-file", "options": {}},
    },
    "files": [],
}


@pytest.fixture
def done(tmp_path):
    """Return the recorded calls of a command for a service, in order."""

    def run(verb, *options, foreign=True, kind="zookeeper", **more):
        log = tmp_path / "log"
        modules = {
            "service_files": SERVICE_FILES.format(log=log, foreign=foreign),
            "container_info": CONTAINER_INFO,
            "container_baseline": BASELINE,
        }
        plays.with_modules(tmp_path, modules)
        engine = tmp_path / "ansible_collections/community/docker/plugins/modules"
        engine.mkdir(parents=True)
        (engine / "docker_container.py").write_text(ENGINE.format(log=log))
        (engine / "docker_image_info.py").write_text(IMAGE)
        kept = tmp_path / "etc/.last-good/one-zk1.json"
        kept.parent.mkdir(parents=True)
        kept.write_text(json.dumps(KEPT))
        service = {
            **{"service_cluster": "one", "service_name": "zk1", "service_kind": kind},
            **{"service_action": verb, "service_definition": {"image": "new"}},
            **{"service_config_root": f"{tmp_path}/etc", "service_log_root": f"{tmp_path}/log"},
            **more,
        }
        task = {"ansible.builtin.include_role": {"name": "metal.kafka.service"}, "vars": service}
        play = {"hosts": "all", "gather_facts": False, "tasks": [task]}
        code, output = plays.run(tmp_path, [play], {"metal": {"m1": {}}}, *options)
        assert code == 0, output
        return log.read_text().splitlines()

    return run


def test_service_stops_before_its_data_changes_its_owner(done):
    assert done("apply") == [
        "files report 10004 10004",
        "stopped None",
        "files change 10004 10004",
        "started 10004:10004",
    ]


def test_check_mode_stops_nothing(done):
    assert done("apply", "--check") == ["files report 10004 10004"]


def test_service_with_an_unchanged_user_is_not_stopped(done):
    assert done("apply", foreign=False) == ["files report 10004 10004", "started 10004:10004"]


def test_data_owner_reverts_with_the_last_good_declaration(done):
    assert done("restore") == [
        "files report 10001 10001",
        "stopped None",
        "files change 10001 10001",
        "started 10001:10001",
    ]


def test_restart_changes_the_owner_too(done):
    assert done("restart")[1:3] == ["stopped None", "files change 10004 10004"]


def test_log_dirs_of_brokers_keep_their_owner(done):
    calls = done("apply", kind="kafka_broker", service_chown_data=False)
    assert calls == ["files keep 10001 10003", "started 10001:10003"]
