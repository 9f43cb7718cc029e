"""What a machine of a broker keeps after a run: the record of content, and throttles of a move."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APPLIED = {"number": 1, "content": {}, "defined": []}
LEFT = [["broker", "3", "leader.replication.throttled.rate", "5"]]


def test_throttles_are_forgotten_only_by_a_run_that_has_removed_them(tmp_path):
    # The content was applied; a broker did not answer; a run with --limit did not apply content.
    hosts = {
        "done": {"kafka_content_applied": APPLIED},
        "away": {"kafka_content_applied": APPLIED, "kafka_content_throttles_left": LEFT},
        "limited": {"kafka_content_applied": {}},
    }
    home = tmp_path / "ansible_collections/metal"
    home.mkdir(parents=True)
    (home / "kafka").symlink_to(ROOT)
    for host in hosts:
        (tmp_path / f"{host}-throttles.json").write_text(json.dumps({"throttles": LEFT}))
    own = f"{tmp_path}/{{{{ inventory_hostname }}}}"
    inventory = {
        "kafka": {
            "hosts": hosts,
            "vars": {
                **{"ansible_connection": "local", "cluster_name": "prod"},
                **{"ansible_python_interpreter": sys.executable},
                "kafka_content_record": f"{own}.json",
                "kafka_content_throttles": f"{own}-throttles.json",
            },
        }
    }
    play = {
        "hosts": "kafka",
        "tasks": [{"include_role": {"name": "metal.kafka.kafka_content", "tasks_from": "record"}}],
    }
    (tmp_path / "hosts.json").write_text(json.dumps(inventory))
    (tmp_path / "play.yml").write_text(json.dumps([play]))
    done = subprocess.run(
        ["ansible-playbook", f"--inventory={tmp_path}/hosts.json", "play.yml"],
        cwd=tmp_path,
        env=os.environ
        | {"ANSIBLE_COLLECTIONS_PATH": str(tmp_path), "ANSIBLE_GATHERING": "explicit"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    kept = {host for host in hosts if (tmp_path / f"{host}-throttles.json").exists()}
    assert kept == {"away", "limited"}
    assert {path.stem for path in tmp_path.glob("[a-z]*.json") if path.stem in hosts} == {
        "done",
        "away",
    }
