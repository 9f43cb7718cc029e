"""Records that go on one by one: where it is allowed, and with how many cores."""

import pytest
from conftest import SMALLEST
from kafka_metal_declarations.declaration import parse, problems_of
from kafka_metal_declarations.model import REAL_TIME
from kafka_metal_pipeline import cores
from kafka_metal_pipeline.driver import limits_of
from kafka_metal_pipeline.local_files import LocalFiles

OUTPUT = {"sql": "SELECT * FROM events", "topic": "out", "trigger": REAL_TIME}


def body(cores: int = 5, source=None, **output):
    return {
        **SMALLEST,
        "source": {**SMALLEST["source"], **(source or {})},
        "outputs": {"all": {**OUTPUT, **output}, "kept": {"path": "all"}},
        "resources": {"cores": cores},
    }


def test_an_output_goes_on_one_by_one_and_those_beside_it_in_batches():
    declared = parse("p", body())
    assert [output.is_real_time for output in declared.outputs] == [True, False]
    assert declared.outputs[1].trigger == "10 seconds"
    # Nothing limits what is read one by one.
    assert set(limits_of(declared, LocalFiles())) == {"kept", "invalid"}


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
def test_where_something_has_to_wait_it_is_refused(spec, key):
    assert key in [problem.key for problem in problems_of({"p": spec})]


@pytest.mark.parametrize(("partitions", "enough"), [(4, 5), (1, 2)])
def test_every_partition_and_what_is_beside_them_need_a_core(partitions, enough):
    cores.check(parse("p", body(cores=enough)), lambda: partitions)
    with pytest.raises(
        cores.CoresError, match=f"resources.cores is {enough - 1}; all: .*{enough}$"
    ):
        cores.check(parse("p", body(cores=enough - 1)), lambda: partitions)


def test_partitions_are_not_asked_for_where_all_is_read_in_batches():
    def nobody() -> int:
        raise AssertionError("asked")

    cores.check(parse("p", body(cores=1, trigger="1 second")), nobody)
