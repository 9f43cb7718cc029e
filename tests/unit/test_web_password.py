"""Prometheus and Alertmanager of a secured cluster ask for a password by default."""

import json
import os
import subprocess
from pathlib import Path

import bcrypt
import pytest
import yaml
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring import web_password

ROOT = Path(__file__).parents[2]
# What stands in for the secret: the run has no store.
PASSWORD = "generated"
OWN = {"basic_auth_users": {"me": "$2b$12$own"}}
CASES = {
    "default": {"password": PASSWORD, "web": {}},
    "asks nobody": {"password": "", "web": {}},
    "own": {"password": "", "web": OWN},
}
WEB = ("prometheus", "alertmanager")
RUNS = [
    *(("default", entry) for entry in (*WEB, "node_exporter", "metrics_proxy", "exporter")),
    *(("asks nobody", entry) for entry in WEB),
    *(("own", entry) for entry in (*WEB, "node_exporter", "exporter")),
]


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], dict]:
    """Command and files of each entry in each case, by the variables of play and role."""
    out = tmp_path_factory.mktemp("web")
    play = {
        "hosts": "localhost",
        "connection": "local",
        "gather_facts": False,
        "vars": {"cluster_name": "c"},
        "vars_files": [
            str(ROOT / "roles/monitoring/defaults/main.yml"),
            str(ROOT / "roles/monitoring/vars/main.yml"),
        ],
        "tasks": [
            {
                "name": "Write what runs",
                "ansible.builtin.copy": {
                    "dest": f"{out}/{{{{ item.0 }}}}-{{{{ item.1 }}}}.json",
                    "mode": "0600",
                    "content": "{{ {'command': __monitoring_current.command, 'environment': "
                    "__monitoring_keys, 'files': __monitoring_current.secret_files} | to_json }}",
                },
                "loop": [list(run) for run in RUNS],
                "vars": {
                    "cases": CASES,
                    "__monitoring_entry": "{{ item.1 }}",
                    "monitoring_machine": "node1",
                    "monitoring_entries": ["exporter", "prometheus"],
                    "monitoring_proxies": {},
                    "monitoring_proxy_files": [],
                    "monitoring_proxied_files": [],
                    "monitoring_kafka_options": {},
                    "monitoring_kafka_files": [],
                    "monitoring_certificates": [],
                    "monitoring_ca_file": "",
                    "monitoring_targets": {
                        "prometheus": [
                            {"address": "127.0.0.1:9090", "cluster": "c", "host": "node1",
                             "instance": "p"}
                        ]
                    },
                    "monitoring_web": "{{ cases[item.0].web }}",
                    "monitoring_web_password": "{{ cases[item.0].password }}",
                    "monitoring_spark_page_login": "",
                },
            }
        ],
    }  # fmt: skip
    (out / "play.yml").write_text(yaml.safe_dump([play]))
    done = subprocess.run(
        ["ansible-playbook", "-i", "localhost,", str(out / "play.yml")],
        env={**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")},
        cwd=out,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    return {
        (case, entry): json.loads((out / f"{case}-{entry}.json").read_text())
        for case, entry in RUNS
    }


def files(run: dict) -> dict[str, str]:
    return {each["name"]: each["content"] for each in run["files"]}


@pytest.mark.parametrize("entry", WEB)
def test_a_secured_cluster_asks_for_the_generated_password(entry, rendered):
    run = rendered["default", entry]
    assert f"--web.config.file=/etc/{entry}/web.yml" in run["command"]
    (user, found), *more = yaml.safe_load(files(run)["web.yml"])["basic_auth_users"].items()
    assert (user, more) == ("operator", [])
    assert bcrypt.checkpw(PASSWORD.encode(), found.encode())
    # Who takes over Alertmanager does not read it there.
    assert ("web.password" in files(run)) == (entry == "prometheus")


@pytest.mark.parametrize("entry", WEB)
def test_nobody_is_asked_without_a_password(entry, rendered):
    run = rendered["asks nobody", entry]
    assert not [word for word in run["command"] if "web.config" in word]
    assert not {"web.yml", "web.password"} & set(files(run))
    assert "basic_auth" not in str(files(run))


@pytest.mark.parametrize("entry", ["prometheus", "alertmanager", "node_exporter"])
def test_what_the_site_says_itself_wins(entry, rendered):
    run = rendered["own", entry]
    assert yaml.safe_load(files(run)["web.yml"]) == OWN
    assert "web.password" not in files(run)
    assert PASSWORD not in str(files(run))


def test_the_node_exporter_has_nothing_to_change_and_asks_nobody(rendered):
    assert files(rendered["default", "node_exporter"]) == {}


def test_no_command_and_no_environment_holds_the_password(rendered):
    for run in rendered.values():
        assert PASSWORD not in str(run["command"]) + str(run["environment"])


def test_readers_of_prometheus_have_the_password(rendered):
    assert (
        f"basic_auth_password: {PASSWORD}"
        in files(rendered["default", "metrics_proxy"])["modules.yml"]
    )
    page = json.loads(files(rendered["default", "exporter"])["watch.json"])
    assert (page["prometheus"], page["prometheus_login"]) == (
        "127.0.0.1:9090",
        "b3BlcmF0b3I6Z2VuZXJhdGVk",
    )
    # One that the site closed in its own words is not read.
    assert json.loads(files(rendered["own", "exporter"])["watch.json"])["prometheus"] == ""


def test_a_password_has_one_hash_and_another_password_another():
    first = web_password.password_hash("a")
    web_password.password_hash.cache_clear()
    assert web_password.password_hash("a") == first
    assert web_password.password_hash("b")[:29] != first[:29]
    assert web_password.web_config("") == {}
