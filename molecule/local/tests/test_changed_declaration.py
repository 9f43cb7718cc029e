"""A running driver applies another declaration in its file, without a restart."""

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

from testing import pages, screens
from testing.cluster import Cluster
from testing.waiting import NotYet, wait_for


def state(cluster: Cluster) -> dict[str, Any]:
    found: dict[str, Any] = pages.get(cluster.topology.drivers["payments"].endpoint, "/status")
    return found


def test_a_change_under_load_restarts_no_driver_and_loses_no_record(
    cluster: Cluster, make, tmp_path: Path
):
    pipelines = deepcopy(cluster.topology.content["pipeline_pipelines"])
    pipelines["payments"]["trigger"] = "2 seconds"
    file = tmp_path / "pipelines.json"
    file.write_text(json.dumps({"pipeline_pipelines": pipelines}))
    started, before = cluster.driver().started(), state(cluster)
    try:
        with cluster.stream(count=100_000, rate=400) as stream:
            applied = make("pipelines", args=f"-e @{file}")
            assert applied.returncode == 0, applied.stdout[-3000:]
            assert stream.runs, "the stream was over before the change was applied"
            after = state(cluster)
            assert after["declaration"] != before["declaration"]
            assert (after["state"], after["id"]) == ("running", before["id"])
            ledger = stream.stop()
            stream.reconcile()
        assert ledger["acknowledged"] > 4_000
    finally:
        again = make("pipelines")
    assert again.returncode == 0, again.stdout[-3000:]
    assert state(cluster)["declaration"] == before["declaration"]
    assert cluster.driver().started() == started


def test_an_invalid_file_changes_nothing_and_is_named(cluster: Cluster):
    machine = cluster.machine(cluster.topology.drivers["payments"])
    path = f"/etc/kafka-metal/{cluster.driver().name}/pipeline.yml"
    before = state(cluster)

    def error(is_expected: Callable[[str], bool]) -> str:
        found = str(state(cluster)["declaration_error"])
        if not is_expected(found):
            raise NotYet(found)
        return found

    machine.check_output("cp --preserve %s %s.before && echo '{' > %s", path, path, path)
    try:
        found = wait_for("the error is served", lambda: error(bool), seconds=10)
        assert "allowed: a YAML file" in found
        during = state(cluster)
        assert (during["state"], during["declaration"]) == ("running", before["declaration"])
        listed = screens.status_problems(cluster.topology.cluster)
        assert " ".join(found.split()) in listed["PipelineChangeRefused", "pipeline-payments"]
    finally:
        machine.check_output("mv %s.before %s", path, path)
    wait_for("the error is over", lambda: error(lambda found: not found), seconds=10)
