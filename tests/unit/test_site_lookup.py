"""The site lookup: values are computed once per run, and the inventory overrides them."""

import json

import plays
import pytest

BROKERS = 8
TASKS = 3
LOOKUP = "{{ lookup('metal.kafka.site', 'kafka.advertised_names') }}"


@pytest.fixture
def run(tmp_path):
    """Run tasks of a role whose default is the lookup, on the brokers of an inventory."""
    plays.with_collection(tmp_path)

    def run(tasks, default=LOOKUP, short=True, **first_broker):
        role = tmp_path / "roles/names"
        for name, text in (("defaults", f'names_found: "{default}"\n'), ("tasks", tasks)):
            (role / name).mkdir(parents=True, exist_ok=True)
            (role / name / "main.yml").write_text(text)
        hosts = {
            f"broker{number}": {
                "kafka_broker_id": number,
                "kafka_broker_listeners": {"CLIENTS": {"advertise": f"10.0.0.{number}"}},
            }
            for number in range(1, BROKERS + 1)
        }
        hosts["broker1"] |= first_broker
        play = [{"hosts": "kafka", "gather_facts": False, "roles": ["names"]}]
        (tmp_path / "plays.yml").write_text(json.dumps(play))
        options = ("--forks=10", "--limit=broker1,broker2" if short else "--limit=all", "plays.yml")
        local = str(tmp_path / "local")
        return plays.ansible_playbook(
            tmp_path, {"kafka": hosts}, *options, ANSIBLE_LOCAL_TEMP=local
        )

    return run


def debug(text):
    return f'- ansible.builtin.debug: {{msg: "{text}"}}\n'


def test_lookup_is_computed_once_for_all_hosts_and_tasks(run, tmp_path):
    # Each computation reads the listeners of the first broker, which appends a line.
    counted = tmp_path / "counted"
    port = f"{{{{ lookup('ansible.builtin.pipe', 'echo 9092 | tee -a {counted}') }}}}"
    listeners = {"CLIENTS": {"advertise": "10.0.0.1", "port": port}}

    code, output = run(
        debug("{{ names_found | length }} names") * TASKS,
        short=False,
        kafka_broker_listeners=listeners,
    )

    assert code == 0, output
    assert output.count(f"{BROKERS} names") == BROKERS * TASKS
    assert counted.read_text().splitlines() == ["9092"]


def test_a_variable_of_the_inventory_wins(run):
    code, output = run(debug("names {{ names_found | join(',') }}"), names_found=["mine"])

    assert code == 0, output
    assert output.count("names mine") == 1
    assert output.count("names 10.0.0.1,10.0.0.2,") == 1


def test_values_of_the_inventory_are_no_templates(run):
    hostile = {"CLIENTS": {"advertise": "{% raw %}{{ 1 + 1 }}{% endraw %}"}}
    code, output = run(debug("names {{ names_found | first }}"), kafka_broker_listeners=hostile)

    assert code == 0, output
    assert "names {{ 1 + 1 }}" in output


@pytest.mark.parametrize(
    ("default", "first_broker", "message"),
    [
        (
            LOOKUP,
            {"kafka_broker_listeners": None},
            "host broker1 has no kafka_broker_listeners",
        ),
        (
            LOOKUP.replace("advertised_names", "mames"),
            {},
            "found kafka.mames; allowed: benchmark.secret_files",
        ),
        (
            LOOKUP,
            {"kafka_broker_listeners": {"CLIENTS": {"advertise": LOOKUP}}},
            "kafka.advertised_names needs kafka.advertised_names",
        ),
        (
            LOOKUP,
            {"kafka_broker_listeners": {"CLIENTS": {"advertise": "{{ of_a_machine }}"}}},
            "kafka_broker_listeners of host broker1:",
        ),
    ],
    ids=["host lacks the variable", "unknown term", "cycle", "needs a fact"],
)
def test_error_names_term_host_and_variable(run, default, first_broker, message):
    code, output = run(debug("{{ names_found }}"), default, **first_broker)

    assert code != 0
    assert message in " ".join(output.split())


def test_run_leaves_no_cache_files(run, tmp_path):
    code, output = run(debug("{{ names_found | length }} names"))

    assert (code, output.count(f"{BROKERS} names")) == (0, 2)
    assert list((tmp_path / "local").iterdir()) == []


def test_value_that_is_no_text_fails_only_its_users(run):
    # YAML reads an unquoted date of the inventory as such a value.
    date = "{{ '2024-01-01 00:00:00' | to_datetime }}"
    listeners = {"CLIENTS": {"advertise": date}}
    tasks = debug("{{ lookup('metal.kafka.site', 'security.mode') }}") + debug("{{ names_found }}")

    code, output = run(tasks, kafka_broker_listeners=listeners)

    assert "tls_scram" in output
    assert code != 0
    assert "a variable has the wrong type, see make preflight" in output
