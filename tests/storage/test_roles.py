"""The roles configure containers like `places.py`, without keys in the Compose project."""

import json
import subprocess

from containers import ROOT

S3 = {
    "kind": "s3",
    "bucket": "platform",
    "endpoint": "http://127.0.0.1:1",
    "access_key": "private-access-key",
    "secret_key": "hidden-from-everybody",
}


def rendered(**variables: object) -> list[str]:
    """Return the lines that these variables would add to the Compose project, or remove."""
    done = subprocess.run(
        [
            *("ansible-playbook", "--inventory=inventories/compose", "playbooks/render.yml"),
            *("--check", "--diff", "-e", json.dumps(variables)),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "hidden-from-everybody" not in done.stdout + done.stderr
    lines = [line for line in done.stdout.splitlines() if line[:1] in "+-" and line[1:2] == " "]
    return [" ".join(line.split()) for line in lines if "image:" not in line]


def test_a_directory_is_the_default() -> None:
    assert rendered(shared_storage={"kind": "path"}) == []


def test_a_store_is_configured_in_files_and_no_directory_is_mounted() -> None:
    lines = rendered(shared_storage=S3)

    # Two workers and a driver; a master does not use the storage.
    assert lines.count("+ HADOOP_CONF_DIR: /etc/kafka-metal") == 3
    assert lines.count("- target: /shared") == 4
    assert len([line for line in lines if "fs.s3a.endpoint</name>" in line]) == 3
    assert not [line for line in lines if "private-access-key" in line]
