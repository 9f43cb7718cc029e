import json
import re

import pytest
from kafka_metal_bench.plan import parse
from kafka_metal_bench.report import view, write_report

RATES = {"one_producer": 500_000, "three_async": 250_000, "one_consumer": 900_000}


@pytest.fixture
def data(plain):
    """Return results of five rounds: bare equals ours within the noise, stock has half the rate."""
    plan = parse(plain)
    samples = []
    for side, factor in (("ours", 1.0), ("bare", 1.0), ("stock", 0.5)):
        for round_ in range(1, 6):
            for row, rate in RATES.items():
                samples.append(sample("table", row, side, round_, rate * factor + round_))
            found = sample("table", "latency", side, round_, None)
            samples.append({**found, "p50_ms": 2, "p99_ms": 5, "p999_ms": 14, "avg_ms": 2.1})
    series = [[gb * 10**8, 300_000.0 + gb] for gb in range(1, 13)]
    samples.append({**sample("table", "growth", "ours", 1, 300_000), "series": series})
    for round_ in range(1, 6):
        samples.append(sample("knob", "heap", "a", round_, 100 + round_))
        samples.append(sample("knob", "heap", "b", round_, 104 + round_))
        samples.append(sample("knob", "flush_every_batch", "a", round_, 100 + round_))
        samples.append(sample("knob", "flush_every_batch", "b", round_, 10 + round_))
    tables = {
        "rows": [vars(row) for row in plan.rows],
        "variants": [vars(each) for each in plan.variants],
        "knobs": [
            {"id": k.id, "title": k.title, "row": k.row, "a": vars(k.a), "b": vars(k.b)}
            for k in plan.knobs
        ],
    }
    return {
        "format": 1,
        "settings": {**plan.settings, "growth_memory": "1g", "growth_heap": "512m"},
        "samples": samples,
        "skipped": [
            {
                "experiment": "table",
                "subject": "growth",
                "side": "bare",
                "reason": "no cache limit",
            },
            {"experiment": "knob", "subject": "tls", "side": "a", "reason": "no openssl here"},
        ],
        "brokers": 3,
        "commands": ["make bench", "make bench ARGS=-e"],
        "software": {"kafka": "3.9.2", "images": ["kafka:1"]},
        "machine": {
            "processor": "A <fast> one",
            "cores": 2,
            "memory_bytes": 24 * 2**30,
            "virtual": True,
            "system": "Debian",
            "kernel": "6",
            "engine": "20",
            "cgroup": "v1",
            "thp": "madvise",
            "settings": {"vm.swappiness": "1"},
            "disks": [
                {
                    "device": "vda",
                    "file_system": "xfs",
                    "options": "rw",
                    "scheduler": "none",
                    "readahead_kib": "128",
                    "rotational": "0",
                }
            ],
        },
        "limits": {
            "disks": [{"device": "vda", "write_bytes_s": 600e6, "read_bytes_s": 900e6}],
            "loopback_bytes_s": 3000e6,
            "nics": [],
            "cpu": {"crc32_bytes_s": 1e9, "copy_bytes_s": 5e9},
        },
        **tables,
    }


def sample(experiment, subject, side, round_, rate):
    found = {"experiment": experiment, "subject": subject, "side": side, "round": round_}
    found |= {"at": "2026-01-02T03:04:05Z", "cpu_busy": 0.99, "cpu_steal": 0.01}
    return found | ({"records_s": rate, "broker_cpu_us_per_record": 1.5} if rate else {})


def test_rows_have_ratios_to_row_1_and_to_the_limit(data):
    lines = {line["title"]: line for line in view.throughput(data, "ours")}
    line = lines["One producer, three replicas, asynchronous (acks=1)"]
    assert line["records"] == "250,003 (250,001 to 250,005)"
    assert line["megabytes"] == "25.0"
    assert line["to_first"] == "0.50"
    assert line["published"] == "0.96"
    # 25 MB/s of 600 MB/s, as each of three replicas is written to the one disk.
    assert (line["to_limit"], line["bound"]) == ("13 %", "disk")


def test_a_consuming_row_is_limited_by_the_network(data):
    lines = {line["title"]: line for line in view.throughput(data, "ours")}
    line = lines["One consumer"]
    assert (line["to_limit"], line["bound"]) == ("3 %", "network out")


def test_rows_without_results_have_a_reason(data):
    lines = {line["title"]: line["missing"] for line in view.throughput(data, "bare")}
    assert lines["Throughput while stored data grows past the page cache"] == "no cache limit"
    assert lines["Three consumers, each reads everything"] == "not measured"


def test_variants_differ_only_if_their_ranges_do_not_overlap(data):
    line = view.side_by_side(data)[0]
    assert [cell["effect"] for cell in line["cells"]] == ["", "no measurable effect here", "-50 %"]


def test_knobs_without_effect_or_results_are_marked(data):
    lines = {line["id"]: line for line in view.knobs(data)}
    assert lines["heap"]["effect"] == "no measurable effect here"
    assert lines["flush_every_batch"]["effect"] == "-87 %"
    assert lines["tls"]["effect"] == "not measured: no openssl here"


def test_growth_compares_the_first_third_with_the_last(data):
    (line,) = view.growth_lines(data)
    assert line["stored"] == "1.20"
    assert line["start"] == "300,002 (300,001 to 300,004)"


def test_the_report_is_written_with_its_plots(data, tmp_path):
    (tmp_path / "results.json").write_text(json.dumps(data))
    written = write_report(tmp_path / "results.json", tmp_path / "out")
    names = {path.name for path in written}
    assert names == {
        "README.md",
        "report.html",
        "throughput.svg",
        "latency.svg",
        "growth.svg",
        "knobs.svg",
    }
    text = (tmp_path / "out/README.md").read_text()
    assert "no openssl here" in text
    assert "with `make bench`, then `make bench ARGS=-e`" in text
    # All rows of a table have the same number of cells, and no blank line splits a table.
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({line.count("|") for line in table.splitlines()}) == 1, table
    assert len(re.findall(r"^\|---", text, re.MULTILINE)) == 10
    page = (tmp_path / "out/report.html").read_text()
    assert "A &lt;fast&gt; one" in page
    assert page.count("<svg") == 4


def test_the_same_results_give_the_same_files(data, tmp_path):
    (tmp_path / "results.json").write_text(json.dumps(data))
    first, second = tmp_path / "a", tmp_path / "b"
    for path in write_report(tmp_path / "results.json", first):
        write_report(tmp_path / "results.json", second)
        assert path.read_bytes() == (second / path.name).read_bytes()


def test_a_report_without_results_is_possible(data, tmp_path):
    data |= {"samples": [], "limits": {}, "machine": {}}
    (tmp_path / "results.json").write_text(json.dumps(data))
    assert "no measurement" in write_report(tmp_path / "results.json", tmp_path)[0].read_text()


@pytest.mark.parametrize(("busy", "warned"), [(0.02, False), (0.5, True)])
def test_the_report_warns_of_a_busy_machine(data, tmp_path, busy, warned):
    for each in data["samples"]:
        each["background_busy"] = busy
    (tmp_path / "results.json").write_text(json.dumps(data))
    text = write_report(tmp_path / "results.json", tmp_path)[0].read_text()
    assert ("Other processes used the machine" in text) is warned
