#!/usr/bin/python3
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Write health metrics of disks for the node exporter: disk_health.py FILE.

The source is the JSON output of smartctl for every disk that it finds (ATA, SCSI, NVMe). A disk
without some value has no metric for it. A disk that the last file had and that can no longer be
read stays in the file as unreadable. If smartctl finds no disks because it fails, the file stays
as it is, and its time becomes old. Needs only Python's standard library.
"""

import json
import os
import re
import subprocess
import sys
import time

# Type and help text of each metric.
METRICS = {
    "readable": ("gauge", "Whether smartctl can read all health data of the disk"),
    "healthy": ("gauge", "Whether the disk passes its own health check"),
    "smartctl_status": ("gauge", "Exit status of smartctl, a sum of bits"),
    "bad_sectors": ("gauge", "Reallocated and pending sectors, and media errors"),
    "wear_ratio": ("gauge", "Share of the rated write endurance that is used"),
    "temperature_celsius": ("gauge", "Temperature of the disk"),
}
CHECKED = "kafka_metal_disks_checked_time_seconds"
PREFIX = "kafka_metal_disk"
# Attributes of ATA disks: reallocated, pending and uncorrectable sectors.
BAD_SECTORS = (5, 197, 198)
# Bits of smartctl's exit status, smartctl(8), "EXIT STATUS". Without a report: the arguments are
# wrong, or the disk cannot be opened.
NOT_READ = 0b11
# A SMART command failed or its data has a wrong checksum; common behind USB and RAID bridges.
COMMAND_FAILED = 0b100
# The disk is failing; an attribute that predicts a failure is at its threshold.
FAILING = 0b11000
TIMEOUT_S = 60


def smartctl(*arguments):
    """Exit status and JSON output of smartctl; the output is empty if there is none."""
    try:
        done = subprocess.run(
            ["smartctl", "--json=c", *arguments],
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        return done.returncode, {} if done.returncode & NOT_READ else json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return NOT_READ, {}


def healthy(status, report):
    """Whether the disk is healthy: 1, 0, or None if the disk has no health check."""
    if status & FAILING:
        return 0
    passed = report.get("smart_status", {}).get("passed")
    return None if passed is None else int(passed)


def metrics(status, report):
    """Metrics of one disk by name, from smartctl's exit status and the values in its report."""
    well = healthy(status, report)
    supported = report.get("smart_support", {}).get("available", True)
    # A failing disk has an alert of its own.
    incomplete = status & COMMAND_FAILED and supported and well != 0
    found = {"readable": int(not incomplete), "smartctl_status": status}
    if well is not None:
        found["healthy"] = well
    if "current" in report.get("temperature", {}):
        found["temperature_celsius"] = report["temperature"]["current"]
    table = report.get("ata_smart_attributes", {}).get("table", [])
    raw = {row["id"]: row["raw"]["value"] for row in table}
    if raw.keys() & set(BAD_SECTORS):
        found["bad_sectors"] = sum(raw.get(number, 0) for number in BAD_SECTORS)
    if "scsi_grown_defect_list" in report:
        found["bad_sectors"] = report["scsi_grown_defect_list"]
    nvme = report.get("nvme_smart_health_information_log", {})
    if "media_errors" in nvme:
        found["bad_sectors"] = nvme["media_errors"]
    if "percentage_used" in nvme:
        found["wear_ratio"] = nvme["percentage_used"] / 100
    return found


def labels(report):
    """Labels of a disk: the node exporter's device name, model and serial number."""
    values = {
        "device": os.path.basename(report.get("device", {}).get("name", "")),
        "model": report.get("model_name") or report.get("scsi_model_name", ""),
        "serial": report.get("serial_number", ""),
    }
    shown = {key: value.replace("\\", r"\\").replace('"', r"\"") for key, value in values.items()}
    return ",".join(f'{key}="{value}"' for key, value in shown.items())


def known(path):
    """Labels of the disks with a serial number in the last file; empty without a file."""
    try:
        with open(path, encoding="utf-8") as stream:
            lines = stream.read().splitlines()
    except OSError:
        return []
    matches = (re.fullmatch(rf'{PREFIX}_readable{{(.*,serial=".+")}} [01]', line) for line in lines)
    return [match[1] for match in matches if match]


def device_of(disk):
    """Device name in the labels of a disk."""
    return disk.split('"')[1]


def serial_of(disk):
    """Serial number in the labels of a disk, with quotes."""
    return disk.rpartition(",serial=")[2]


def samples(devices, results, before):
    """Metrics of every disk by its labels; disks of ``before`` that are missing are unreadable."""
    found = {labels(report): metrics(status, report) for status, report in results if report}
    serials = {serial_of(disk) for disk in found}
    names = [os.path.basename(each["name"]) for each in devices]
    # Another disk with this device name replaced it. Disks of one RAID controller share a name.
    replaced = {device_of(disk) for disk in found if names.count(device_of(disk)) == 1}
    lost = [
        disk
        for disk in before
        if serial_of(disk) not in serials and device_of(disk) not in replaced
    ]
    unread = {names[place] for place, (_, report) in enumerate(results) if not report}
    never_read = [
        labels({"device": {"name": name}})
        for name in sorted(unread - {device_of(disk) for disk in lost})
    ]
    return {**found, **{disk: {"readable": 0} for disk in lost + never_read}}


def text(found, moment):
    """Metrics of all disks by their labels, and the time of the check, in Prometheus' format."""
    lines = [
        f"# HELP {CHECKED} When the health of disks was last read.",
        f"# TYPE {CHECKED} gauge",
        f"{CHECKED} {moment:.0f}",
    ]
    for name, (kind, meaning) in METRICS.items():
        rows = [
            f"{PREFIX}_{name}{{{disk}}} {own[name]}" for disk, own in found.items() if name in own
        ]
        if rows:
            lines += [f"# HELP {PREFIX}_{name} {meaning}.", f"# TYPE {PREFIX}_{name} {kind}", *rows]
    return "".join(f"{line}\n" for line in lines)


def main(path):
    """Read every disk and replace the file atomically; return the exit status."""
    status, listed = smartctl("--scan")
    if status & NOT_READ:
        print("smartctl --scan fails: the disks are unknown", file=sys.stderr)
        return 1
    devices = listed.get("devices", [])
    results = [
        smartctl("--info", "--health", "--attributes", f"--device={disk['type']}", disk["name"])
        for disk in devices
    ]
    with open(f"{path}.new", "w", encoding="utf-8") as stream:
        stream.write(text(samples(devices, results, known(path)), time.time()))
    os.replace(f"{path}.new", path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
