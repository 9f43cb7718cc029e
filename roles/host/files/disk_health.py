#!/usr/bin/python3
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Write health metrics of disks for the node exporter: disk_health.py FILE.

The source is the JSON output of smartctl for every disk that it finds (ATA, SCSI, NVMe). A disk
without some value has no metric for it. Needs only Python's standard library.
"""

import json
import os
import subprocess
import sys

# Type and help text of each metric.
METRICS = {
    "healthy": ("gauge", "Whether the disk passes its own health check"),
    "bad_sectors": ("gauge", "Reallocated and pending sectors, and media errors"),
    "wear_ratio": ("gauge", "Share of the rated write endurance that is used"),
    "temperature_celsius": ("gauge", "Temperature of the disk"),
}
PREFIX = "kafka_metal_disk"
# Attributes of ATA disks: reallocated, pending and uncorrectable sectors.
BAD_SECTORS = (5, 197, 198)
# Bits of smartctl's exit status for a failed read: smartctl(8), "EXIT STATUS".
NOT_READ = 0b111
TIMEOUT_S = 60


def smartctl(*arguments):
    """JSON output of smartctl; empty if it could not read the disk."""
    try:
        done = subprocess.run(
            ["smartctl", "--json=c", *arguments],
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        return {} if done.returncode & NOT_READ else json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return {}


def metrics(report):
    """Metrics of smartctl's report on one disk, by name; only those that it contains."""
    found = {}
    if "passed" in report.get("smart_status", {}):
        found["healthy"] = int(report["smart_status"]["passed"])
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


def text(reports):
    """Metrics of all disks in Prometheus' text format."""
    found = [(labels(report), metrics(report)) for report in reports]
    lines = []
    for name, (kind, meaning) in METRICS.items():
        samples = [f"{PREFIX}_{name}{{{disk}}} {own[name]}" for disk, own in found if name in own]
        if samples:
            lines += [f"# HELP {PREFIX}_{name} {meaning}.", f"# TYPE {PREFIX}_{name} {kind}"]
            lines += samples
    return "".join(f"{line}\n" for line in lines)


def main(path):
    """Read every disk and replace the file atomically."""
    found = smartctl("--scan").get("devices", [])
    reports = [
        smartctl("--info", "--health", "--attributes", f"--device={disk['type']}", disk["name"])
        for disk in found
    ]
    with open(f"{path}.new", "w", encoding="utf-8") as stream:
        stream.write(text(report for report in reports if report))
    os.replace(f"{path}.new", path)


if __name__ == "__main__":
    main(sys.argv[1])
