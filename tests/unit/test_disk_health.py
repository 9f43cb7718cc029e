"""Metrics of disk health from reports of smartctl on ATA, SAS and NVMe disks."""

import importlib.util
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "roles/host/files/disk_health.py"
spec = importlib.util.spec_from_file_location("disk_health", FILE)
disk_health = importlib.util.module_from_spec(spec)
spec.loader.exec_module(disk_health)


def attribute(number: int, value: int) -> dict:
    return {"id": number, "name": "An_Attribute", "value": 100, "raw": {"value": value}}


ATA = {
    "device": {"name": "/dev/sda", "type": "sat", "protocol": "ATA"},
    "model_name": 'Old "Spinner"',
    "serial_number": "A1",
    "smart_status": {"passed": True},
    "temperature": {"current": 34},
    "ata_smart_attributes": {
        "table": [attribute(5, 8), attribute(9, 40_000), attribute(197, 2), attribute(198, 1)]
    },
}
SAS = {
    "device": {"name": "/dev/sdb", "type": "scsi", "protocol": "SCSI"},
    "scsi_model_name": "Quick",
    "serial_number": "B2",
    "smart_status": {"passed": False},
    "scsi_grown_defect_list": 17,
}
NVME = {
    "device": {"name": "/dev/nvme0n1", "type": "nvme", "protocol": "NVMe"},
    "model_name": "Flash",
    "serial_number": "C3",
    "smart_status": {"passed": True},
    "nvme_smart_health_information_log": {"percentage_used": 93, "media_errors": 4},
}


READ = {"readable": 1, "smartctl_status": 0}


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        (ATA, {"healthy": 1, "temperature_celsius": 34, "bad_sectors": 11}),
        (SAS, {"healthy": 0, "bad_sectors": 17}),
        (NVME, {"healthy": 1, "bad_sectors": 4, "wear_ratio": 0.93}),
        ({"device": {"name": "/dev/vda"}}, {}),
    ],
)
def test_a_disk_has_the_metrics_in_its_report(report, expected):
    assert disk_health.metrics(0, report) == {**READ, **expected}


WITHOUT_SMART = {"device": {"name": "/dev/sda"}, "smart_support": {"available": False}}


@pytest.mark.parametrize(
    ("status", "report", "healthy", "readable"),
    [
        # A SMART command failed: common behind USB and RAID bridges, and no sign of a failing disk.
        (4, ATA, 1, 0),
        (4, {"device": {"name": "/dev/sda"}}, None, 0),
        (4, SAS, 0, 1),
        # The disk is failing; once without a result of its own check.
        (8, {"device": {"name": "/dev/sda"}}, 0, 1),
        (12, ATA, 0, 1),
        (16, ATA, 0, 1),
        # Failures of the past: bits of the attributes and of the logs.
        (32, ATA, 1, 1),
        (64 + 128, ATA, 1, 1),
        # A disk without SMART answers no SMART command.
        (4, WITHOUT_SMART, None, 1),
    ],
)
def test_health_depends_on_all_bits_of_the_exit_status(status, report, healthy, readable):
    found = disk_health.metrics(status, report)
    assert (found.get("healthy"), found["readable"]) == (healthy, readable)
    assert found["smartctl_status"] == status


def test_metrics_have_labels_of_device_model_and_serial_number():
    found = disk_health.samples([], [(0, ATA), (0, NVME)], [])
    lines = disk_health.text(found, 1000.4).splitlines()

    assert r'kafka_metal_disk_healthy{device="sda",model="Old \"Spinner\"",serial="A1"} 1' in lines
    assert 'kafka_metal_disk_wear_ratio{device="nvme0n1",model="Flash",serial="C3"} 0.93' in lines
    assert lines.count("# TYPE kafka_metal_disk_healthy gauge") == 1
    assert "kafka_metal_disks_checked_time_seconds 1000" in lines


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Function that runs the script with a stub of smartctl; returns exit status and metrics.

    ``disks``: exit status and report of each disk that the scan finds, by path.
    """

    def make(disks: dict, scan_status: int = 0) -> tuple[int, list[str]]:
        scan = tmp_path / "scan.json"
        scan.write_text(json.dumps({"devices": [{"name": n, "type": "sat"} for n in disks]}))
        lines = [f"[ $2 = --scan ] && {{ cat {scan}; exit {scan_status}; }}"]
        for path, (status, report) in disks.items():
            (tmp_path / os.path.basename(path)).write_text(json.dumps(report))
            output = tmp_path / os.path.basename(path)
            lines.append(f"case $* in *{path}) cat {output}; exit {status};; esac")
        program = tmp_path / "smartctl"
        program.write_text("\n".join(["#!/bin/sh", *lines, ""]))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        written = tmp_path / "disk_health.prom"
        done = subprocess.run([sys.executable, FILE, written], check=False)
        return done.returncode, written.read_text().splitlines() if written.exists() else []

    return make


SDA = r'{device="sda",model="Old \"Spinner\"",serial="A1"}'


@pytest.mark.parametrize(
    ("status", "health", "readable"),
    [(0, 1, 1), (4, 1, 0), (8, 0, 1), (12, 0, 1), (8 + 64, 0, 1), (64, 1, 1)],
)
def test_a_failing_disk_is_in_the_metrics(run, status, health, readable):
    code, lines = run({"/dev/sda": (status, ATA)})

    assert code == 0
    assert f"kafka_metal_disk_healthy{SDA} {health}" in lines
    assert f"kafka_metal_disk_readable{SDA} {readable}" in lines


@pytest.mark.parametrize("status", [1, 2, 2 + 8])
def test_a_disk_that_was_never_read_is_unreadable_and_has_no_serial_number(run, status):
    _, lines = run({"/dev/sda": (status, {})})

    assert 'kafka_metal_disk_readable{device="sda",model="",serial=""} 0' in lines
    assert not any("kafka_metal_disk_healthy" in line for line in lines)


@pytest.mark.parametrize("later", [{"/dev/sda": (2, {})}, {}], ids=["fails", "is gone"])
def test_a_disk_that_can_no_longer_be_read_stays_in_the_file(run, later):
    run({"/dev/sda": (0, ATA)})
    run(later)
    _, lines = run(later)

    found = [line for line in lines if line.startswith("kafka_metal_disk_")]
    assert found == [f"kafka_metal_disk_readable{SDA} 0"]


def test_a_replaced_or_renamed_disk_is_not_unreadable(run):
    run({"/dev/sda": (0, ATA), "/dev/sdb": (0, SAS)})
    moved = ATA | {"device": {"name": "/dev/sdb"}}
    other = SAS | {"device": {"name": "/dev/sda"}, "serial_number": "B3"}
    _, lines = run({"/dev/sda": (0, other), "/dev/sdb": (0, moved)})

    readable = [line.rpartition(" ")[2] for line in lines if "disk_readable{" in line]
    assert readable == ["1", "1"]


def test_a_failed_scan_keeps_the_file_and_its_time(run):
    _, before = run({"/dev/sda": (0, ATA)})
    code, after = run({}, scan_status=2)

    assert code == 1
    assert after == before
