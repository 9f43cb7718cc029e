"""What services know of each other is computed once in a run, and the inventory wins over it."""

import json

import plays
import pytest

BROKERS = 50
TASKS = 4
ASK = "{{ lookup('metal.kafka.site', 'kafka.names') }}"


@pytest.fixture
def run(tmp_path):
    """Tasks of a role whose default asks, on the brokers of an inventory."""
    plays.with_collection(tmp_path)

    def run(tasks, default=ASK, short=True, **of_first):
        role = tmp_path / "roles/asker"
        for name, text in (("defaults", f'asker_names: "{default}"\n'), ("tasks", tasks)):
            (role / name).mkdir(parents=True, exist_ok=True)
            (role / name / "main.yml").write_text(text)
        hosts = {
            f"broker{number}": {
                "kafka_broker_id": number,
                "kafka_broker_listeners": {"CLIENTS": {"advertise": f"10.0.0.{number}"}},
            }
            for number in range(1, BROKERS + 1)
        }
        hosts["broker1"] |= of_first
        play = [{"hosts": "kafka", "gather_facts": False, "roles": ["asker"]}]
        (tmp_path / "plays.yml").write_text(json.dumps(play))
        words = ("--forks=10", "--limit=broker1,broker2" if short else "--limit=all", "plays.yml")
        local = str(tmp_path / "local")
        return plays.ansible_playbook(tmp_path, {"kafka": hosts}, *words, ANSIBLE_LOCAL_TEMP=local)

    return run


def debug(text):
    return f'- ansible.builtin.debug: {{msg: "{text}"}}\n'


def test_it_is_computed_once_for_all_hosts_and_tasks(run, tmp_path):
    # Each computation reads the listeners of the first broker, and appends a line to the file.
    counted = tmp_path / "counted"
    port = f"{{{{ lookup('ansible.builtin.pipe', 'echo 9092 | tee -a {counted}') }}}}"
    listeners = {"CLIENTS": {"advertise": "10.0.0.1", "port": port}}

    code, said = run(
        debug("{{ asker_names | length }} names") * TASKS,
        short=False,
        kafka_broker_listeners=listeners,
    )

    assert code == 0, said
    assert said.count(f"{BROKERS} names") == BROKERS * TASKS
    assert counted.read_text().splitlines() == ["9092"]


def test_a_variable_of_the_inventory_wins(run):
    code, said = run(debug("names {{ asker_names | join(',') }}"), asker_names=["mine"])

    assert code == 0, said
    assert said.count("names mine") == 1
    assert said.count("names 10.0.0.1,10.0.0.2,") == 1


def test_values_of_the_inventory_are_no_templates(run):
    hostile = {"CLIENTS": {"advertise": "{% raw %}{{ 1 + 1 }}{% endraw %}"}}
    code, said = run(debug("names {{ asker_names | first }}"), kafka_broker_listeners=hostile)

    assert code == 0, said
    assert "names {{ 1 + 1 }}" in said


@pytest.mark.parametrize(
    ("default", "of_first", "told"),
    [
        (
            ASK,
            {"kafka_broker_listeners": None},
            "host broker1 has no kafka_broker_listeners",
        ),
        (
            ASK.replace("names", "mames"),
            {},
            "found kafka.mames; allowed: benchmark.files",
        ),
        (
            ASK,
            {"kafka_broker_listeners": {"CLIENTS": {"advertise": ASK}}},
            "kafka.names needs kafka.names",
        ),
        (
            ASK,
            {"kafka_broker_listeners": {"CLIENTS": {"advertise": "{{ of_a_machine }}"}}},
            "kafka_broker_listeners of host broker1:",
        ),
    ],
    ids=["a host lacks it", "nobody knows it", "it needs itself", "it needs a fact"],
)
def test_what_is_wrong_is_named(run, default, of_first, told):
    code, said = run(debug("{{ asker_names }}"), default, **of_first)

    assert code != 0
    assert told in " ".join(said.split())


def test_nothing_of_a_run_stays(run, tmp_path):
    code, said = run(debug("{{ asker_names | length }} names"))

    assert (code, said.count(f"{BROKERS} names")) == (0, 2)
    assert list((tmp_path / "local").iterdir()) == []


def test_a_value_that_is_no_text_fails_only_what_needs_it(run):
    # As a date that is written into the inventory.
    date = "{{ '2024-01-01 00:00:00' | to_datetime }}"
    listeners = {"CLIENTS": {"advertise": date}}
    words = debug("{{ lookup('metal.kafka.site', 'security.mode') }}") + debug("{{ asker_names }}")

    code, said = run(words, kafka_broker_listeners=listeners)

    assert "tls_scram" in said
    assert code != 0
    assert "a variable has the wrong type, see make preflight" in said
