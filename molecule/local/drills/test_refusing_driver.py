"""A driver that refuses its declaration ends the wait of make up, and what ran goes on."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from testing import pipelines
from testing.cluster import Cluster

ROOT = Path(__file__).resolve().parents[3]
CONTENT = ROOT / "inventories/example/group_vars/all/content.yml"
# What only a driver finds out: nobody answers there.
REGISTRY = "http://127.0.0.1:1"
REFUSING = {
    "source": {
        "topic": "payments",
        "format": "avro",
        "registry": {"url": REGISTRY},
        "schema": "paymentId STRING",
    },
    "outputs": {"all": {"sql": "SELECT * FROM events", "path": "birds"}},
    "invalid": "payments_invalid",
    "resources": {"cores": 1, "executor_memory": "768m", "driver_memory": "768m"},
}


@pytest.fixture
def declared(tmp_path: Path, cluster: Cluster) -> Iterator[Path]:
    content = yaml.safe_load(CONTENT.read_text())
    content["pipeline_pipelines"]["birds"] = REFUSING
    file = tmp_path / "content.json"
    file.write_text(json.dumps(content))
    yield file
    pipelines.remove(cluster, "birds")


def test_a_driver_that_refuses_ends_the_wait_and_what_ran_goes_on(
    cluster: Cluster, make, declared: Path
):
    before = cluster.driver().started()
    began = time.monotonic()

    failed = make("up", args=f"-e @{declared}")

    took = time.monotonic() - began
    said = failed.stdout + failed.stderr
    assert failed.returncode != 0
    assert "pipeline birds" in said, said[-3000:]
    assert REGISTRY in said
    # Not the 120 tries.
    assert took < 300
    assert cluster.driver().started() == before
    # The one that is no longer declared goes.
    again = make("up")
    assert again.returncode == 0, again.stdout[-3000:]
    assert make("status").returncode == 0
