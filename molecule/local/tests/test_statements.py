"""An error in a pipeline's declaration is refused before anything is changed."""

import json
from pathlib import Path

import pytest
import yaml
from testing.cluster import Cluster

ROOT = Path(__file__).resolve().parents[3]
CONTENT = ROOT / "inventories/example/group_vars/all/content.yml"


@pytest.fixture
def declared(tmp_path: Path):
    """Write the example content with changed keys of an output of ``payments``; return the file."""

    def write(output: str, **keys: str) -> Path:
        content = yaml.safe_load(CONTENT.read_text())
        content["pipeline_pipelines"]["payments"]["outputs"][output] |= keys
        file = tmp_path / "content.json"
        file.write_text(json.dumps(content))
        return file

    return write


def started(cluster: Cluster) -> str:
    """Return the start time of the driver's container."""
    machine = cluster.machine(cluster.topology.drivers["payments"])
    name = f"{cluster.topology.cluster}-pipeline-payments"
    return machine.check_output("docker inspect --format '{{.State.StartedAt}}' %s", name)


def test_hostile_and_invalid_sql_is_refused_before_anything_is_changed(
    cluster: Cluster, make, declared
):
    before = started(cluster)
    file = declared("fraud", sql="SELECT * FROM events e JOIN text.`/etc/passwd` ON true", key="a(")

    refused = make("up", args=f"-e @{file}")

    output = refused.stdout + refused.stderr
    assert refused.returncode != 0
    assert "pipeline payments: outputs.fraud.sql: found the relation text./etc/passwd" in output
    assert "pipeline payments: outputs.fraud.key: found" in output
    assert started(cluster) == before


def test_a_changed_aggregate_is_refused_while_the_driver_goes_on(cluster: Cluster, make, declared):
    before = started(cluster)
    sql = "SELECT country, count(*) AS payments FROM events GROUP BY country"

    refused = make("plan", args=f"-e @{declared('metrics', sql=sql, key='country')}")

    output = refused.stdout + refused.stderr
    assert refused.returncode != 0
    assert "pipeline payments: output metrics: no longer fits its checkpoint" in output
    assert "give the output another name" in output
    # The other outputs are unchanged.
    assert "1 problem(s)" in output
    assert started(cluster) == before
