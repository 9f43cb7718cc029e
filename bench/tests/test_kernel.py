import json

import pytest
from kafka_metal_bench.kernel import Kernel, current, expand, restorable_settings, with_counterparts


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("always [madvise] never\n", "madvise"),
        ("none [mq-deadline] kyber\n", "mq-deadline"),
        ("128\n", "128"),
    ],
)
def test_the_active_value_is_the_one_in_brackets(text, value):
    assert current(text) == value


def test_a_disk_setting_applies_to_every_disk():
    spec = {"/sys/block/{device}/queue/scheduler": "none", "/proc/sys/vm/swappiness": "1"}
    assert expand(spec, ["sdb", "sdc"]) == {
        "/sys/block/sdb/queue/scheduler": "none",
        "/sys/block/sdc/queue/scheduler": "none",
        "/proc/sys/vm/swappiness": "1",
    }


def test_settings_are_restored_and_the_saved_values_deleted(tmp_path):
    knob, saved = tmp_path / "knob", tmp_path / "saved.json"
    knob.write_text("60\n")
    kernel = Kernel(saved, print)
    kernel.set({str(knob): "1"})
    assert knob.read_text() == "1"
    kernel.restore()
    assert knob.read_text() == "60"
    assert not saved.exists()


def test_restore_uses_the_value_before_the_first_change(tmp_path):
    knob = tmp_path / "knob"
    knob.write_text("60\n")
    kernel = Kernel(tmp_path / "saved.json", print)
    kernel.set({str(knob): "1"})
    kernel.set({str(knob): "2"})
    kernel.restore()
    assert knob.read_text() == "60"


def test_a_new_run_restores_the_settings_of_a_killed_run(tmp_path):
    knob, saved = tmp_path / "knob", tmp_path / "saved.json"
    knob.write_text("60\n")
    Kernel(saved, print).set({str(knob): "1"})
    # The run is killed here, and the next run starts:
    Kernel(saved, print)
    assert knob.read_text() == "60"


def test_a_failed_restore_is_an_error_and_keeps_the_saved_values(tmp_path):
    saved = tmp_path / "saved.json"
    saved.write_text(json.dumps({str(tmp_path / "none" / "knob"): "1"}))
    with pytest.raises(OSError, match="cannot restore kernel settings"):
        Kernel(saved, print)
    assert saved.exists()


def test_only_the_active_one_of_ratio_and_bytes_is_restored():
    old = {"/proc/sys/vm/dirty_bytes": "0", "/proc/sys/vm/dirty_ratio": "20"}
    assert restorable_settings(old) == [("/proc/sys/vm/dirty_ratio", "20")]


def test_a_ratio_replaced_by_bytes_is_restored(tmp_path):
    paths = {name: tmp_path / name for name in ("dirty_background_bytes", "dirty_background_ratio")}
    paths["dirty_background_bytes"].write_text("0\n")
    paths["dirty_background_ratio"].write_text("10\n")
    kernel = Kernel(tmp_path / "saved.json", print)
    kernel.set({str(paths["dirty_background_bytes"]): "268435456"})
    # The kernel resets the ratio.
    paths["dirty_background_ratio"].write_text("0\n")
    kernel.restore()
    assert paths["dirty_background_ratio"].read_text() == "10"


def test_with_counterparts_adds_bytes_and_ratios():
    assert with_counterparts(["/p/dirty_bytes", "/p/dirty_background_ratio", "/p/swappiness"]) == [
        "/p/dirty_bytes",
        "/p/dirty_ratio",
        "/p/dirty_background_ratio",
        "/p/dirty_background_bytes",
        "/p/swappiness",
    ]
