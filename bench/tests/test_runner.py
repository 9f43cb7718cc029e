"""Complete runs with a fake cluster."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from kafka_metal_bench import runner
from kafka_metal_bench.command import CommandError
from kafka_metal_bench.plan import parse
from kafka_metal_bench.results import Results, reason


class FakeCluster:
    """Counts its starts; ``broken`` variants fail to start."""

    broken = ()

    def __init__(self, plan, say):
        self.data = Path("/")
        self.client = type("Client", (), {"name": "client"})
        self.admin = None
        self.pids = ()
        self.starts = []
        self.closed = False

    def start(self, variant, side):
        if variant.id in self.broken:
            raise CommandError(f"{variant.id} does not start")
        self.starts.append(variant.id)

    def close(self):
        self.closed = True


class FakeMeasurement:
    """Returns results immediately; raises KeyboardInterrupt after ``interrupt_after`` of them."""

    interrupt_after = None
    count = 0

    def __init__(self, *arguments):
        self.written = {}
        self.admin = type("Admin", (), {"delete": staticmethod(lambda topics: None)})

    def warm(self, row):
        pass

    def configure(self, values):
        FakeMeasurement.configured.append(values)

    def row(self, row, side, source=None):
        if FakeMeasurement.count == self.interrupt_after:
            raise KeyboardInterrupt
        FakeMeasurement.count += 1
        return {"p50_ms": 1, "p99_ms": 2} if row.kind == "latency" else {"records_s": 100.0}


class FakeKernel:
    """Counts how often settings are restored."""

    def __init__(self, memory, say):
        self.restored = 0

    def set(self, settings):
        pass

    def restore(self):
        self.restored += 1


@pytest.fixture(autouse=True)
def fakes(monkeypatch):
    monkeypatch.setattr(runner, "Cluster", FakeCluster)
    monkeypatch.setattr(runner, "Measurement", FakeMeasurement)
    monkeypatch.setattr(runner, "Kernel", FakeKernel)
    monkeypatch.setattr(runner.probes, "measure", lambda folders, say: {"disks": []})
    monkeypatch.setattr(runner.machine, "describe", lambda folders: {})
    monkeypatch.setattr(FakeCluster, "broken", ())
    monkeypatch.setattr(FakeMeasurement, "interrupt_after", None)
    monkeypatch.setattr(FakeMeasurement, "count", 0)
    monkeypatch.setattr(FakeMeasurement, "configured", [], raising=False)


@pytest.fixture
def plan(plain):
    plain["settings"] |= {"growth_memory": "1g", "growth_heap": "512m"}
    plain["knobs"] = [k for k in plain["knobs"] if k["id"] in ("num_io_threads", "heap")]
    # A knob that this machine does not support.
    plain["knobs"] += [{**plain["knobs"][0], "id": "numa", "not_measured": "one node of memory"}]
    return parse(plain)


def runner_of(plan, tmp_path):
    return runner.ScratchClusters(
        plan, Results(tmp_path / "results.json", plan.settings), lambda text: None
    )


def counts(run):
    return Counter((s["experiment"], s["subject"], s["side"]) for s in run.results.data["samples"])


def test_every_row_is_measured_in_every_variant_and_round(plan, tmp_path):
    run = runner_of(plan, tmp_path)
    run.run()
    found = counts(run)
    for row in plan.rows:
        for variant in plan.variants:
            rounds = found["table", row.id, variant.id]
            if row.kind != "growth":
                assert rounds == 5, row.id
    assert found["table", "growth", "ours"] == found["table", "growth", "stock"] == 1
    assert "page cache" in reason(run.results.data, "table", "growth", "bare")
    assert found["knob", "num_io_threads", "a"] == found["knob", "heap", "b"] == 5
    assert run.failures == []
    assert run.cluster.closed


def test_the_order_of_variants_rotates(plan, tmp_path):
    run = runner_of(plan, tmp_path)
    run.run()
    first = ["ours", "bare", "stock", "bare", "stock", "ours", "stock", "ours", "bare"]
    assert run.cluster.starts[:9] == first


def test_the_next_run_continues_an_interrupted_run(plan, tmp_path, monkeypatch):
    monkeypatch.setattr(FakeMeasurement, "interrupt_after", 40)
    run = runner_of(plan, tmp_path)
    with pytest.raises(KeyboardInterrupt):
        run.run()
    assert run.cluster.closed
    assert run.kernel.restored > 0
    assert len(run.results.data["samples"]) == 40

    monkeypatch.setattr(FakeMeasurement, "interrupt_after", None)
    again = runner_of(plan, tmp_path)
    again.run()
    # 7 rows, 3 variants, 5 rounds; growth of two variants; two knobs with two sides.
    assert len(again.results.data["samples"]) == FakeMeasurement.count == 7 * 3 * 5 + 2 + 2 * 2 * 5
    keys = Counter(
        (s["experiment"], s["subject"], s["side"], s["round"])
        for s in again.results.data["samples"]
    )
    assert set(keys.values()) == {1}


def test_a_finished_run_starts_no_cluster(plan, tmp_path):
    runner_of(plan, tmp_path).run()
    again = runner_of(plan, tmp_path)
    again.run()
    assert again.cluster.starts == []


def test_after_the_time_limit_nothing_starts_and_the_reason_is_saved(plan, tmp_path):
    run = runner_of(replace(plan, minutes=0), tmp_path)
    run.run()
    assert run.results.data["samples"] == []
    assert run.cluster.starts == []
    assert reason(run.results.data, "table", "three_sync", "stock") == runner.OUT_OF_TIME
    assert reason(run.results.data, "knob", "heap", "a") == runner.OUT_OF_TIME


def test_a_variant_that_does_not_start_lacks_only_its_own_results(plan, tmp_path, monkeypatch):
    monkeypatch.setattr(FakeCluster, "broken", ("stock",))
    run = runner_of(plan, tmp_path)
    run.run()
    found = counts(run)
    assert found["table", "three_sync", "ours"] == found["table", "three_sync", "bare"] == 5
    assert found["table", "three_sync", "stock"] == 0
    assert "stock does not start" in reason(run.results.data, "table", "one_producer", "stock")
    assert run.failures


def test_a_knob_that_is_not_measured_has_a_reason(plan, tmp_path):
    run = runner_of(plan, tmp_path)
    run.run()
    assert counts(run)["knob", "numa", "a"] == 0
    assert "one node of memory" in reason(run.results.data, "knob", "numa", "a")


def test_declared_value_is_restored_after_a_dynamic_knob(plan, tmp_path):
    runner_of(plan, tmp_path).run()
    assert FakeMeasurement.configured == [{"num.io.threads": "8"}]
