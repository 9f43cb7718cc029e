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
    assert disk_health.metrics(report) == expected


def test_metrics_have_labels_of_device_model_and_serial_number():
    lines = disk_health.text([ATA, NVME]).splitlines()

    assert r'kafka_metal_disk_healthy{device="sda",model="Old \"Spinner\"",serial="A1"} 1' in lines
    assert 'kafka_metal_disk_wear_ratio{device="nvme0n1",model="Flash",serial="C3"} 0.93' in lines
    assert lines.count("# TYPE kafka_metal_disk_healthy gauge") == 1


@pytest.fixture
def smartctl(tmp_path, monkeypatch):
    """Function that creates a stub of smartctl with one disk and the given exit status."""

    def make(status: int) -> None:
        scan, report = tmp_path / "scan.json", tmp_path / "report.json"
        scan.write_text(json.dumps({"devices": [{"name": "/dev/sda", "type": "sat"}]}))
        report.write_text(json.dumps(ATA))
        program = tmp_path / "smartctl"
        commands = f"[ $2 = --scan ] && exec cat {scan}\ncat {report}\nexit {status}\n"
        program.write_text(f"#!/bin/sh\n{commands}")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    return make


@pytest.mark.parametrize(
    ("status", "has_metrics"),
    [
        (0, True),
        # The disk is failing and has failed before, but the report is valid.
        (8 + 64, True),
        (2, False),
    ],
)
def test_a_disk_with_a_valid_report_has_metrics(smartctl, tmp_path, status, has_metrics):
    smartctl(status)
    written = tmp_path / "disk_health.prom"

    subprocess.run([sys.executable, FILE, written], check=True)

    assert ("kafka_metal_disk_healthy" in written.read_text()) is has_metrics
