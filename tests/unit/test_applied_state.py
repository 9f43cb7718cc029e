"""Files on broker hosts after a run: the applied state, and throttles of moves."""

import json

from plays import run, with_collection

APPLIED = {"number": 1, "content": {}, "defined": []}
THROTTLES = [["broker", "3", "leader.replication.throttled.rate", "5"]]


def test_throttle_file_is_removed_only_after_the_throttles(tmp_path):
    # Content applied; an unresponsive broker; a run with --limit, which applies no content.
    hosts = {
        "done": {"kafka_content_applied": APPLIED},
        "away": {"kafka_content_applied": APPLIED, "kafka_content_stale_throttles": THROTTLES},
        "limited": {"kafka_content_applied": {}},
    }
    with_collection(tmp_path)
    for host in hosts:
        (tmp_path / f"{host}-throttles.json").write_text(json.dumps({"throttles": THROTTLES}))
        hosts[host] |= {
            **{"cluster_name": "prod", "kafka_content_applied_file": f"{tmp_path}/{host}.json"},
            "kafka_content_throttles": f"{tmp_path}/{host}-throttles.json",
        }
    task = {
        "include_role": {"name": "metal.kafka.kafka_content", "tasks_from": "write_applied_state"}
    }
    code, output = run(tmp_path, [{"hosts": "kafka", "tasks": [task]}], {"kafka": hosts})

    assert code == 0, output
    assert {host for host in hosts if (tmp_path / f"{host}-throttles.json").exists()} == {
        *("away", "limited")
    }
    assert {host for host in hosts if (tmp_path / f"{host}.json").exists()} == {"done", "away"}
