# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""File systems under data: their kind, mount options, what is left, and what they share."""

from __future__ import annotations

from collections.abc import Iterator

from .._declarations.inventory_values import is_true, whole_number
from .._declarations.problem import Problem, advice, listed
from .._site.facts_of_machines import Place
from .._site.services import directories
from .._site.site_instances import instances
from .._site.site_model import Site

# A disk that is somebody else's, one that forgets, and one that belongs to a container.
NETWORK = ("9p", "afs", "ceph", "cifs", "fuse.glusterfs", "fuse.sshfs", "nfs", "nfs4", "smb3")
PASSING = ("aufs", "overlay", "ramfs", "squashfs", "tmpfs")
WANTED_OPTIONS = {
    "noatime": "reads write nothing",
    "nodev": "no devices among data",
    "nosuid": "no programs with rights among data",
}
STANDARD_INODES = 10_000


def _log_dirs(site: Site) -> Iterator[tuple[str, str, str, str, Place]]:
    """Machine, host, variable, path and place of each directory that wants a disk of its own.

    Where data may lie on the root disk, nothing is asked of the disk.
    """
    for host, service in instances(site):
        if is_true(site.value(host, "metal_allow_root_disk", False)):
            continue
        machine = site.machine(host)
        for where, path in directories(site, host, service.disks):
            place = site.place(machine, path)
            if place is not None and "kind" in place:
                yield machine, host, where, path, place


def file_systems(site: Site) -> Iterator[Problem]:
    """Log dirs lie on a local file system that stays, best XFS."""
    for _, host, where, path, place in _log_dirs(site):
        # A directory of the operating system's disk is told by another check.
        kind, at = place["kind"], f"{path} on {place['kind']} ({place['mount']})"
        if kind in NETWORK or kind.startswith("nfs"):
            yield Problem(
                host, where, f"{at}, a network file system", "a local disk: a broker is its disks"
            )
        elif kind in PASSING and not place["system"]:
            yield Problem(host, where, f"{at}, which does not survive a reboot", "a disk with XFS")
        elif kind != "xfs" and not place["system"]:
            reason = (
                "unlinking old segments blocks writers for longer on ext4"
                if kind == "ext4"
                else "the only one that this platform is tested on"
            )
            yield advice(host, where, at, f"XFS: {reason}")


def mount_options(site: Site) -> Iterator[Problem]:
    """Data is mounted with noatime, nodev and nosuid."""
    found: dict[tuple[str, ...], dict[str, None]] = {}
    for machine, _, _, _, place in _log_dirs(site):
        lacking = tuple(name for name in WANTED_OPTIONS if name not in place["options"])
        if lacking and not place["system"]:
            found.setdefault(lacking, {})[f"{place['mount']} of {machine}"] = None
    for lacking, mounts in found.items():
        reasons = "; ".join(WANTED_OPTIONS[name] for name in lacking)
        yield advice(
            "metal",
            "mount options",
            f"no {', '.join(lacking)} on {listed(mounts)}",
            f"these options in /etc/fstab: {reasons}",
        )


def writable(site: Site) -> Iterator[Problem]:
    """No data directory lies on a file system that is mounted read-only."""
    told = set()
    for host, service in instances(site):
        machine = site.machine(host)
        for where, path in directories(site, host, service.directories):
            place = site.place(machine, path)
            if place and place.get("read_only") and (machine, place["mount"]) not in told:
                told.add((machine, place["mount"]))
                yield Problem(
                    host,
                    where,
                    f"{path} on {place['mount']}, which is read-only",
                    "a file system that can be written; the kernel's log says if an error did this",
                )


def inodes(site: Site) -> Iterator[Problem]:
    """Room for files, not only for bytes, under every data directory."""
    told = set()
    for host, service in instances(site):
        machine = site.machine(host)
        for where, path in directories(site, host, service.directories):
            place = site.place(machine, path)
            # A file system that makes inodes as it needs them counts none.
            if not place or not place.get("inodes") or (machine, place["mount"]) in told:
                continue
            told.add((machine, place["mount"]))
            own = whole_number(site.value(machine, "preflight_free_inodes"))
            least = STANDARD_INODES if own is None else own
            if place["free_inodes"] < least:
                yield Problem(
                    host,
                    where,
                    f"room for {place['free_inodes']} more files under {path} "
                    f"(file system {place['mount']})",
                    f"at least {least} (preflight_free_inodes)",
                )


def shared_disks(site: Site) -> Iterator[Problem]:
    """Each log dir has a disk that no other log dir has."""
    owners: dict[tuple[str, str], tuple[str, str]] = {}
    for machine, host, where, path, place in _log_dirs(site):
        # What lies on the disk of the system is told by another check.
        if place["system"] or not place["disk"]:
            continue
        other, other_path = owners.setdefault((machine, place["disk"]), (host, path))
        if other_path != path:
            yield advice(
                host,
                where,
                f"{path} on disk {place['disk']}, as {other_path} of {other}",
                "a disk for each log dir: two on one are lost together and share its speed",
            )


def shared_journals(site: Site) -> Iterator[Problem]:
    """What is fsynced before every answer does not share its disk with a log dir."""
    logs = {
        (machine, place["disk"]): (host, path)
        for machine, host, _, path, place in _log_dirs(site)
        if place["disk"]
    }
    for host, service in instances(site):
        machine = site.machine(host)
        for where, path in directories(site, host, service.journal):
            place = site.place(machine, path)
            if place and (machine, place.get("disk", "")) in logs:
                other, other_path = logs[machine, place["disk"]]
                yield advice(
                    host,
                    where,
                    f"{path} on disk {place['disk']}, as {other_path} of {other}",
                    "another disk: its fsyncs wait behind the broker's writes",
                )
