"""Real-time outputs: where they are allowed, and the cores they need."""

import pytest
from conftest import SMALLEST
from kafka_metal_declarations.declaration import find_problems, parse
from kafka_metal_declarations.model import REAL_TIME
from kafka_metal_pipeline import cores
from kafka_metal_pipeline.capacity import batch_limits
from kafka_metal_pipeline.local_files import LocalFiles
from kafka_metal_pipeline.running_batch import planned_seconds

OUTPUT = {"sql": "SELECT * FROM events", "topic": "out", "trigger": REAL_TIME}


def body(cores: int = 5, source=None, **output):
    return {
        **SMALLEST,
        "source": {**SMALLEST["source"], **(source or {})},
        "outputs": {"all": {**OUTPUT, **output}, "kept": {"path": "all"}},
        "resources": {"cores": cores},
    }


def test_real_time_output_next_to_batch_outputs():
    declared = parse("p", body())
    assert [output.is_real_time for output in declared.outputs] == [True, False]
    assert declared.outputs[1].trigger == "10 seconds"
    # Real-time outputs have no limit.
    assert set(batch_limits(declared, LocalFiles(), planned_seconds(declared))) == {
        "kept",
        "invalid",
    }


@pytest.mark.parametrize(
    ("spec", "key"),
    [
        (body(topic=None, path="other", sql=None), "outputs.all.trigger"),
        (
            body(topic=None, table="t", keys=["id"], database="d"),
            "outputs.all.trigger",
        ),
        (body(delivery="transactional"), "outputs.all.delivery"),
        (body(mode="update"), "outputs.all.mode"),
        (
            body(watermark={"column": "_timestamp", "delay": "1 minute"}),
            "outputs.all.watermark",
        ),
        (body(source={"topic": None, "path": "raw", "topics": ["in"]}), "outputs.all.trigger"),
        ({**body(), "trigger": REAL_TIME}, "trigger"),
    ],
)
def test_unsupported_real_time_output_is_refused(spec, key):
    assert key in [problem.key for problem in find_problems({"p": spec})]


@pytest.mark.parametrize(("partitions", "enough"), [(4, 5), (1, 2)])
def test_each_partition_and_the_batches_need_a_core(partitions, enough):
    cores.check(parse("p", body(cores=enough)), lambda: partitions)
    with pytest.raises(
        cores.CoresError, match=f"resources.cores: found {enough - 1}; allowed: at least {enough} "
    ):
        cores.check(parse("p", body(cores=enough - 1)), lambda: partitions)


def test_partitions_are_not_queried_for_batches():
    def not_called() -> int:
        raise AssertionError("called")

    cores.check(parse("p", body(cores=1, trigger="1 second")), not_called)
