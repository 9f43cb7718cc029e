import json

import pytest
from kafka_metal_bench.kernel import Kernel, current, expand, in_force, with_twins


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("always [madvise] never\n", "madvise"),
        ("none [mq-deadline] kyber\n", "mq-deadline"),
        ("128\n", "128"),
    ],
)
def test_the_value_in_force_is_the_one_in_brackets(text, value):
    assert current(text) == value


def test_a_setting_of_disks_is_written_for_every_disk():
    spec = {"/sys/block/{device}/queue/scheduler": "none", "/proc/sys/vm/swappiness": "1"}
    assert expand(spec, ["sdb", "sdc"]) == {
        "/sys/block/sdb/queue/scheduler": "none",
        "/sys/block/sdc/queue/scheduler": "none",
        "/proc/sys/vm/swappiness": "1",
    }


def test_settings_are_put_back_and_forgotten(tmp_path):
    knob, memory = tmp_path / "knob", tmp_path / "memory.json"
    knob.write_text("60\n")
    kernel = Kernel(memory, print)
    kernel.set({str(knob): "1"})
    assert knob.read_text() == "1"
    kernel.restore()
    assert knob.read_text() == "60"
    assert not memory.exists()


def test_a_second_change_does_not_hide_the_value_before_the_first(tmp_path):
    knob = tmp_path / "knob"
    knob.write_text("60\n")
    kernel = Kernel(tmp_path / "memory.json", print)
    kernel.set({str(knob): "1"})
    kernel.set({str(knob): "2"})
    kernel.restore()
    assert knob.read_text() == "60"


def test_a_run_after_a_killed_one_puts_settings_back_first(tmp_path):
    knob, memory = tmp_path / "knob", tmp_path / "memory.json"
    knob.write_text("60\n")
    Kernel(memory, print).set({str(knob): "1"})
    # Killed here. The next run begins:
    Kernel(memory, print)
    assert knob.read_text() == "60"


def test_what_cannot_be_put_back_is_said_and_kept_for_another_try(tmp_path):
    memory = tmp_path / "memory.json"
    memory.write_text(json.dumps({str(tmp_path / "none" / "knob"): "1"}))
    with pytest.raises(OSError, match="could not be put back"):
        Kernel(memory, print)
    assert memory.exists()


def test_of_ratio_and_bytes_only_the_one_in_force_is_put_back():
    old = {"/proc/sys/vm/dirty_bytes": "0", "/proc/sys/vm/dirty_ratio": "20"}
    assert in_force(old) == [("/proc/sys/vm/dirty_ratio", "20")]


def test_bytes_that_replace_a_ratio_give_the_ratio_back(tmp_path):
    paths = {name: tmp_path / name for name in ("dirty_background_bytes", "dirty_background_ratio")}
    paths["dirty_background_bytes"].write_text("0\n")
    paths["dirty_background_ratio"].write_text("10\n")
    kernel = Kernel(tmp_path / "memory.json", print)
    kernel.set({str(paths["dirty_background_bytes"]): "268435456"})
    # What the kernel does then.
    paths["dirty_background_ratio"].write_text("0\n")
    kernel.restore()
    assert paths["dirty_background_ratio"].read_text() == "10"


def test_twins_are_those_of_the_kernel():
    assert with_twins(["/p/dirty_bytes", "/p/dirty_background_ratio", "/p/swappiness"]) == [
        "/p/dirty_bytes",
        "/p/dirty_ratio",
        "/p/dirty_background_ratio",
        "/p/dirty_background_bytes",
        "/p/swappiness",
    ]
