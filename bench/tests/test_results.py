import json

import pytest
from kafka_metal_bench.results import Results, ResultsError, reason, values

SETTINGS = {"records": 1000, "image": "kafka:1"}


def sample(round_, rate, **changes):
    key = {"experiment": "table", "subject": "one", "side": "ours", "round": round_}
    return {**key, "records_s": rate, **changes}


def test_an_interrupted_run_is_continued(tmp_path):
    path = tmp_path / "results.json"
    first = Results(path, SETTINGS)
    first.add(sample(1, 10))
    # Added samples are saved without closing.
    second = Results(path, SETTINGS)
    assert second.done("table", "one", "ours", 1)
    assert not second.done("table", "one", "ours", 2)
    assert not second.done("table", "one", "stock", 1)
    second.add(sample(2, 20))
    assert values(Results(path, SETTINGS).data["samples"], "table", "one", "ours", "records_s") == [
        10,
        20,
    ]


def test_results_of_other_settings_are_rejected(tmp_path):
    path = tmp_path / "results.json"
    Results(path, SETTINGS).add(sample(1, 10))
    before = path.read_text()
    with pytest.raises(ResultsError, match="records was 1000, now 5"):
        Results(path, {**SETTINGS, "records": 5})
    assert path.read_text() == before


@pytest.mark.parametrize("text", ["", "{}", '{"format": 99}', "[1"])
def test_an_invalid_results_file_is_rejected(tmp_path, text):
    path = tmp_path / "results.json"
    path.write_text(text)
    with pytest.raises(ResultsError, match=r"results\.json"):
        Results(path, SETTINGS)


def test_the_last_reason_for_a_missing_result_is_kept(tmp_path):
    results = Results(tmp_path / "results.json", SETTINGS)
    results.skip("knob", "tls", "a", "no time")
    results.skip("knob", "tls", "b", "another")
    results.skip("knob", "tls", "a", "no listener")
    assert reason(results.data, "knob", "tls", "a") == "no listener"
    assert reason(results.data, "knob", "tls", "b") == "another"
    assert reason(results.data, "knob", "heap", "a") is None
    assert len(json.loads((tmp_path / "results.json").read_text())["skipped"]) == 2
