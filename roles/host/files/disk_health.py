#!/usr/bin/python3
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What disks say of their own health, for the node exporter: disk_health.py FILE.

smartctl asks every disk it finds, whatever it speaks (ATA, SCSI, NVMe); its JSON is the source. A
disk that does not tell something has no such figure. Runs on the hosts with nothing but Python's
library.
"""

import json
import os
import subprocess
import sys

# name: kind and meaning
FIGURES = {
    "healthy": ("gauge", "Whether the disk itself expects to go on working"),
    "bad_sectors": ("gauge", "Sectors that were replaced, or wait to be, and errors of the medium"),
    "wear_ratio": ("gauge", "Share of the writes that its maker promised which is used up"),
    "temperature_celsius": ("gauge", "Temperature of the disk"),
}
PREFIX = "kafka_metal_disk"
# Reallocated sectors, those that wait for it, and those that could not be read (ATA).
BAD_SECTORS = (5, 197, 198)
# Bits of smartctl's exit status that mean that it could not ask: smartctl(8), "EXIT STATUS".
NOT_ASKED = 0b111
SECONDS = 60


def asked(*words):
    """What smartctl answers, as JSON; nothing when it could not ask."""
    try:
        done = subprocess.run(
            ["smartctl", "--json=c", *words], capture_output=True, timeout=SECONDS, check=False
        )
        return {} if done.returncode & NOT_ASKED else json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return {}


def figures(report):
    """Figures out of smartctl's report on one disk, by name; those that it has."""
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
    """Whose figures they are: the device as the node exporter calls it, model and serial number."""
    values = {
        "device": os.path.basename(report.get("device", {}).get("name", "")),
        "model": report.get("model_name") or report.get("scsi_model_name", ""),
        "serial": report.get("serial_number", ""),
    }
    shown = {key: value.replace("\\", r"\\").replace('"', r"\"") for key, value in values.items()}
    return ",".join(f'{key}="{value}"' for key, value in shown.items())


def text(reports):
    """Figures of all disks as Prometheus reads them."""
    told = [(labels(report), figures(report)) for report in reports]
    lines = []
    for name, (kind, meaning) in FIGURES.items():
        samples = [f"{PREFIX}_{name}{{{who}}} {own[name]}" for who, own in told if name in own]
        if samples:
            lines += [f"# HELP {PREFIX}_{name} {meaning}.", f"# TYPE {PREFIX}_{name} {kind}"]
            lines += samples
    return "".join(f"{line}\n" for line in lines)


def main(path):
    """Ask every disk and write, so that a reader sees the old file or the new one."""
    found = asked("--scan").get("devices", [])
    reports = [
        asked("--info", "--health", "--attributes", f"--device={disk['type']}", disk["name"])
        for disk in found
    ]
    with open(f"{path}.new", "w", encoding="utf-8") as stream:
        stream.write(text(report for report in reports if report))
    os.replace(f"{path}.new", path)


if __name__ == "__main__":
    main(sys.argv[1])
