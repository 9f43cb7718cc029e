"""With another secret every part of Spark restarts in the same run: none would know the rest."""

import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("spark-master1", "spark-worker1", "spark-history1", "driver1")
COMPONENT = "{{ inventory_hostname.removeprefix('spark-').rstrip('1') }}"
KEYS_ID = (
    "{{ inventory_hostname }}="
    "{{ pipeline_keys_id if inventory_hostname == 'driver1' else spark_keys_id }};"
)


def keys_ids(secret: str) -> dict[str, str]:
    """What stands for the keys of each part, on a site whose parts of Spark share ``secret``."""
    given = {
        "spark_component": COMPONENT,
        "__security_spark_files": [{"name": "spark.conf", "content": secret}],
        "__security_spark_recovery_files": [],
    }
    done = subprocess.run(
        [
            *("ansible", ":".join(PARTS), "-i", "inventories/local", "--playbook-dir", "playbooks"),
            *("-m", "ansible.builtin.debug", "-a", f'msg="{KEYS_ID}"', "-e", json.dumps(given)),
        ],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    found = dict(re.findall(r"([\w-]+)=(\w*);", done.stdout))
    assert set(found) == set(PARTS), done.stdout + done.stderr
    return found


@pytest.fixture(scope="module")
def before():
    return keys_ids("old secret")


def test_a_new_secret_restarts_masters_workers_the_history_and_drivers(before):
    after = keys_ids("new secret")
    assert [part for part in PARTS if after[part] == before[part]] == []


def test_the_secret_itself_is_not_shown(before):
    assert all(re.fullmatch(r"[0-9a-f]{12}", each) for each in before.values())
