"""A new kind of service needs only a file in the catalogue to be in every list of kinds."""

import json
import shutil

import plays
import pytest
import yaml
from plays import ROOT

KIND = {
    "kind": "gateway",
    "instance": "gateway{gateway_id}",
    "after": ["kafka"],
    "id": "gateway_id",
    "id_range": [1, 9],
    "bind": "gateway_bind",
    "address": "gateway_address",
    "ports": ["gateway_port"],
    "directories": ["gateway_dir"],
    "memory": "gateway_memory",
    "metrics_port": "gateway_metrics_port",
    "job": "gateway",
    "clients": [{"group": "kafka", "port": "gateway_port", "purpose": "requests"}],
    "certificates": [
        {
            "name": "gateway{gateway_id}",
            "subject": "gateway-{gateway_id}",
            "usages": ["server"],
            "subject_alt_names": ["{gateway_address}"],
        }
    ],
    "service_accounts": {"gateway": {"roles": [{"producer": {"topic": "requests"}}]}},
}
# A second kind of the same role, with an instance on every machine.
AGENT = {
    "kind": "gateway_agent",
    "group": "metal",
    "instance": "agent@{metal_machine}",
    "bind": "gateway_bind",
    "address": "ansible_host",
    "ports": ["gateway_agent_port"],
    "job": "gateway_agent",
    "clients": [{"group": "gateway", "port": "gateway_agent_port", "purpose": "metrics"}],
    "container_users": [{"service": "gateway_agent", "uid": 10099}],
}
DEFAULTS = {
    "gateway_agent_port": 9500,
    "gateway_bind": "127.0.0.1",
    "gateway_port": 8443,
    "gateway_dir": "/var/lib/gateway",
    "gateway_memory": "1g",
    "gateway_metrics_port": 9499,
    "gateway_metrics_bind": "127.0.0.1",
}
OPTIONS = {
    "main": {
        "options": {
            name: {"type": "raw", "description": "x", "default": value}
            for name, value in DEFAULTS.items()
        }
        | {
            name: {"type": "raw", "description": "x", "required": True}
            for name in ("gateway_id", "gateway_address")
        }
    }
}


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    """The real collection with a role for that kind, which has only its catalogue files."""
    folder = tmp_path_factory.mktemp("kind")
    home = folder / "ansible_collections/metal/kafka"
    shutil.copytree(ROOT / "plugins", home / "plugins")
    for path in ROOT.glob("roles/*"):
        (home / "roles").mkdir(exist_ok=True)
        (home / "roles" / path.name).symlink_to(path)
    for path in ("versions.yml", "galaxy.yml", "images", "meta", "monitoring"):
        (home / path).symlink_to(ROOT / path)
    files = {
        "meta/services/gateway.yml": KIND,
        "meta/services/gateway_agent.yml": AGENT,
        "defaults/main.yml": DEFAULTS,
        "meta/argument_specs.yml": {"argument_specs": OPTIONS},
    }
    for name, content in files.items():
        file = home / "roles/gateway" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(yaml.safe_dump(content))
    return folder


@pytest.fixture
def found(collection):
    """Function that evaluates an expression on a host of that kind."""

    def evaluate(expression, **of_gateway):
        broker = {
            **{**plays.BROKER, "security_mode": "tls_scram", "cluster_name": "unit"},
            "ansible_host": "10.0.0.1",
        }
        gateway = {
            **{"gateway_id": 1, "gateway_address": "10.0.0.7", "cluster_name": "unit"},
            "ansible_host": "10.0.0.7",
            **of_gateway,
        }
        groups = {
            "kafka": {"broker1": broker},
            "gateway": {"gateway1": gateway},
            "metal": {"broker1": broker, "gateway1": gateway},
        }
        target = collection / "result.json"
        copy = {"dest": str(target), "content": f"{{{{ {expression} | to_json }}}}"}
        play = {"hosts": "gateway1", "tasks": [{"ansible.builtin.copy": copy}]}
        code, output = plays.run(collection, [play], groups)
        assert code == 0, output
        return json.loads(target.read_text())

    return evaluate


def site(name):
    return f"lookup('metal.kafka.site', '{name}')"


def test_a_new_kind_is_a_target_of_prometheus(found):
    (target,) = found(site("monitoring.targets"))["gateway"]
    assert (target["instance"], target["address"]) == ("gateway1", "10.0.0.7:9499")


def test_a_kind_on_every_machine_is_a_target_and_validated(found):
    targets = found(site("monitoring.targets"))["gateway_agent"]
    assert [(each["instance"], each["address"]) for each in targets] == [
        ("agent@broker1", "10.0.0.1:9500"),
        ("agent@gateway1", "10.0.0.7:9500"),
    ]
    assert found("'gateway_agent' | metal.kafka.container_user")["uid"] == 10099
    problems = "query('metal.kafka.preflight', 'problems') | map(attribute='text')"
    assert "gateway: gateway_agent_port: found 0;" in "\n".join(
        found(problems, gateway_agent_port=0)
    )


def test_a_new_kind_has_a_certificate_and_an_account(found):
    certificates = {each["name"]: each for each in found(site("credentials.certificates"))}
    assert certificates["gateway1"]["ips"] == ["10.0.0.7"]
    assert "gateway" in found(site("users.with_password"))


def test_preflight_validates_a_new_kind(found):
    expression = (
        "query('metal.kafka.preflight', 'problems') | selectattr('fatal') | map(attribute='text')"
    )
    wrong = {
        **{"gateway_id": 12, "gateway_port": 9092, "gateway_prot": 1},
        "kafka_content_users": {"gateway": {}},
    }
    problems = "\n".join(found(expression, **wrong))

    assert "gateway_id: found 12" in problems
    assert "gateway_prot: found a variable that is not an option of role gateway" in problems
    assert "/var/lib/gateway" in found("query('metal.kafka.preflight', 'paths')")
