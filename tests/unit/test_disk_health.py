"""What disks tell of their health, out of what smartctl says of an ATA, a SAS and an NVMe disk."""

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
def test_a_disk_has_the_figures_that_it_tells(report, expected):
    assert disk_health.metrics(report) == expected


def test_figures_are_those_of_a_device_model_and_serial_number():
    lines = disk_health.text([ATA, NVME]).splitlines()

    assert r'kafka_metal_disk_healthy{device="sda",model="Old \"Spinner\"",serial="A1"} 1' in lines
    assert 'kafka_metal_disk_wear_ratio{device="nvme0n1",model="Flash",serial="C3"} 0.93' in lines
    assert lines.count("# TYPE kafka_metal_disk_healthy gauge") == 1


@pytest.fixture
def smartctl(tmp_path, monkeypatch):
    """A program of this name that knows one disk, and ends with a status of its choice."""

    def make(status: int) -> None:
        scan, report = tmp_path / "scan.json", tmp_path / "report.json"
        scan.write_text(json.dumps({"devices": [{"name": "/dev/sda", "type": "sat"}]}))
        report.write_text(json.dumps(ATA))
        program = tmp_path / "smartctl"
        answers = f"[ $2 = --scan ] && exec cat {scan}\ncat {report}\nexit {status}\n"
        program.write_text(f"#!/bin/sh\n{answers}")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    return make


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (0, True),
        # The disk is failing, and has failed before: an answer all the same.
        (8 + 64, True),
        (2, False),
    ],
)
def test_a_disk_that_could_be_asked_is_told(smartctl, tmp_path, status, told):
    smartctl(status)
    written = tmp_path / "disk_health.prom"

    subprocess.run([sys.executable, FILE, written], check=True)

    assert ("kafka_metal_disk_healthy" in written.read_text()) is told
