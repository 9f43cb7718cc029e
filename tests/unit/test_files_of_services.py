"""Each container gets only its own keys, passwords and directories."""

import base64
import binascii
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE, SECURITY = ROOT / "inventories/example", ROOT / "molecule/security/inventory"

# This lookup returns the name of a secret instead of the secret.
SECRET = """
from ansible.plugins.lookup import LookupBase

class LookupModule(LookupBase):
    def run(self, terms, variables=None, **options):
        return [{"quorum_stage": "own"}.get(term, f"<{term}>") for term in terms]
"""
# Collects the declaration of a service with its secrets.
RENDER = """
- name: Write the declaration of the service
  ansible.builtin.set_fact:
    service_rendered: >-
      {{ service_rendered | default([]) + [
         {'host': inventory_hostname, 'name': service_name, 'kind': service_kind,
          'files': service_files, 'secret_files': service_secret_files,
          'container': __service_container}] }}
"""
ANSWER = {
    "hosts": "localhost",
    "tasks": [
        {
            "ansible.builtin.copy": {
                "dest": "{{ result_file }}",
                "content": (
                    "{{ hostvars | metal.kafka.collect_from_hosts('service_rendered') | to_json }}"
                ),
            }
        }
    ],
}


def _role(name: str, **more: str) -> dict:
    return {"include_role": {"name": f"metal.kafka.{name}", **more}}


def _site(fact: str) -> str:
    return f"{{{{ lookup('metal.kafka.site', '{fact}') }}}}"


PLAYS = [
    {"hosts": "zookeeper", "tasks": [_role("zookeeper")]},
    {
        "hosts": "kafka",
        "tasks": [_role("kafka_broker", tasks_from="service")],
    },
    *(
        {
            "hosts": f"spark_{part}",
            "vars": {"spark_component": part},
            "tasks": [_role("spark")],
        }
        for part in ("master", "worker", "history")
    ),
    {"hosts": "pipeline", "tasks": [_role("pipeline")]},
    {
        "hosts": "metal",
        "vars": {
            "monitoring_entries": _site("monitoring.services_on_machines"),
        },
        "tasks": [_role("monitoring")],
    },
    {
        "hosts": "monitoring",
        "vars": {
            "monitoring_entries": _site("monitoring.services_on_monitoring_hosts"),
        },
        "tasks": [_role("monitoring")],
    },
]


def _pipeline(topic: str, **output: str) -> dict:
    return {
        "source": {"topic": topic, "format": "json", "schema": "id STRING NOT NULL"},
        "outputs": {"all": {"sql": "SELECT id FROM events", **output}},
        "invalid": "bad",
    }


# Two pipelines, each with its own database, and a database that no pipeline uses.
PIPELINES = {
    "pipeline_pipelines": {
        "payments": _pipeline("payments", table="t", keys=["id"], database="shop"),
        "refunds": _pipeline("refunds", table="t", keys=["id"], database="ledger"),
    },
    "pipeline_databases": {
        name: {"url": f"jdbc:postgresql://db/{name}", "password": f"<database:{name}>"}
        for name in ("shop", "ledger", "audit")
    },
}

# Secrets of each kind of container; {} is its name without the cluster's.
SPARK = {"password:spark-rpc", "password:spark-pages"}
TABLE = {
    "kafka_broker": {"keypair:{}", "keypair:{}-ensemble", "keypair:operator"},
    "zookeeper": {"keypair:{}", "keypair:{}-quorum", "quorum_truststore"},
    "spark_master": {*SPARK, "keypair:{}-ensemble"},
    # Executors of every pipeline run in a worker; they get the password from their driver.
    "spark_worker": SPARK,
    "spark_history": SPARK,
    "pipeline": {*SPARK, "password:{}", "database:{database}"},
    "node_exporter": set(),
    "prometheus": {"password:monitoring-web"},
    # Has a hash of the password.
    "alertmanager": set(),
    "probe": {"password:watch"},
    # Reads Prometheus and the web pages of Spark.
    "exporter": {"password:watch", "password:spark-pages", "password:monitoring-web"},
}
# With a proxy on each machine. The proxy on Prometheus' machine also reads Prometheus.
PROXIED = {
    "prometheus": {"password:monitoring-web", "password:metrics-proxy"},
    "metrics_proxy": {"keypair:metrics-{machine}", "password:metrics-proxy"},
}
DATABASES = {"pipeline-payments": "shop", "pipeline-refunds": "ledger"}
# CA certificates are not secret.
TRUSTED = {"truststore"}


def _collection(folder: Path) -> None:
    home = folder / "ansible_collections/metal/kafka"
    shutil.copytree(
        ROOT / "plugins", home / "plugins", ignore=shutil.ignore_patterns("__pycache__")
    )
    (home / "plugins/lookup/secret.py").write_text(SECRET)
    shutil.copytree(ROOT / "roles", home / "roles")
    (home / "roles/service/tasks/render.yml").write_text(RENDER)
    # Other sources of image tags.
    for path in ROOT.iterdir():
        if path.name not in ("plugins", "roles") and not path.name.startswith("."):
            (home / path.name).symlink_to(path)


def _inventory(name: str, folder: Path) -> Path:
    """Path of an inventory; the scenario's gets the example's group variables, as in molecule."""
    if name == "local":
        return ROOT / "inventories/local"
    found = folder / "inventory"
    shutil.copytree(SECURITY, found)
    for path in (EXAMPLE / "group_vars").rglob("*.yml"):
        group = "all" if path.parent.name == "all" else path.stem
        place = found / "group_vars" / group / f"10_{path.name}"
        place.parent.mkdir(exist_ok=True)
        shutil.copy(path, place)
    return found


@pytest.fixture(scope="module", params=["local", "security"])
def declared(request, tmp_path_factory):
    """Declarations of all containers of one inventory."""
    folder = tmp_path_factory.mktemp(request.param)
    _collection(folder)
    (folder / "plays.yml").write_text(
        yaml.safe_dump([{"gather_facts": False, **play} for play in [*PLAYS, ANSWER]])
    )
    variables = {
        **{"ansible_connection": "local", "ansible_become": False, "service_action": "render"},
        **{"security_mode": "tls_scram", "result_file": f"{folder}/result.json"},
        **{"kafka_metal_state": f"{folder}/state", "ansible_python_interpreter": sys.executable},
        **PIPELINES,
    }
    inventory = _inventory(request.param, folder)
    done = subprocess.run(
        ["ansible-playbook", f"--inventory={inventory}", "plays.yml", "-e", json.dumps(variables)],
        cwd=folder,
        env=os.environ
        | {"ANSIBLE_COLLECTIONS_PATH": str(folder), "ANSIBLE_FORKS": "2"}
        | {"ANSIBLE_CALLBACKS_ENABLED": "metal.kafka.preload"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return json.loads((folder / "result.json").read_text())


def _secrets(text: str) -> set[str]:
    """Names of secrets in a text, also of base64-encoded ones, as logins for web pages are."""
    for encoded in re.findall(r"[A-Za-z0-9+/]{16,}={0,2}", text):
        try:
            text += base64.b64decode(encoded, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
    return set(re.findall(r"<([\w-]+(?::[\w-]+)?)>", text))


def _expected_secrets(one: dict, machines: dict[str, set[str]]) -> set[str]:
    proxied = len(machines) > 1
    terms = {**TABLE, **(PROXIED if proxied else {})}[one["kind"]]
    names = {"machine": one["host"], "database": DATABASES.get(one["name"], "")}
    found = {term.format(one["name"], **names) for term in terms}
    if proxied and one["kind"] == "metrics_proxy" and "prometheus" in machines[one["host"]]:
        found.add("password:monitoring-web")
    return found


def test_each_container_gets_its_own_keys_and_passwords(declared):
    assert set(TABLE) <= {one["kind"] for one in declared}
    machines: dict[str, set[str]] = {
        one["host"]: set() for one in declared if one["kind"] == "node_exporter"
    }
    for one in declared:
        machines.get(one["host"], set()).add(one["kind"])
    for one in declared:
        found = _secrets("".join(file["content"] for file in one["secret_files"])) - TRUSTED
        assert found == _expected_secrets(one, machines), (one["host"], one["name"])


def test_secrets_are_only_in_secret_files(declared):
    for one in declared:
        public = json.dumps([one["container"], one["files"]])
        assert _secrets(public) == set(), one["name"]


def test_containers_share_only_the_shared_directory(declared):
    mounts: dict[tuple[str, str], set[str]] = {}
    # The node exporter measures disks, and cannot read their files.
    for one in (one for one in declared if one["kind"] != "node_exporter"):
        for mount in one["container"]["volumes"]:
            if not mount.get("read_only") and mount["target"] != "/shared":
                mounts.setdefault((one["host"], mount["source"]), set()).add(one["name"])
    assert {at: names for at, names in mounts.items() if len(names) > 1} == {}


def test_containers_with_the_shared_directory_are_in_its_group(declared):
    groups = {
        one["kind"]: one["container"]["user"].split(":")[1]
        for one in declared
        if any(mount["target"] == "/shared" for mount in one["container"]["volumes"])
    }
    assert groups == dict.fromkeys(["spark_worker", "spark_history", "pipeline"], "10001")
    others = {
        one["container"]["user"].split(":")[1] for one in declared if one["kind"] not in groups
    }
    assert "10001" not in others


def test_memory_is_not_swapped(declared):
    limits = [one["container"] for one in declared if one["container"].get("mem_limit")]
    assert limits
    assert [one["name"] for one in limits if one["memswap_limit"] != one["mem_limit"]] == []
