# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""File systems of data directories: type, mount options, free inodes, shared disks."""

from __future__ import annotations

from collections.abc import Iterator

from .._declarations.inventory_values import is_true, whole_number
from .._declarations.problem import Problem, advice, join_names
from .._site.facts_of_machines import Place
from .._site.services import directories
from .._site.site_instances import instances
from .._site.site_model import Site

NETWORK = ("9p", "afs", "ceph", "cifs", "fuse.glusterfs", "fuse.sshfs", "nfs", "nfs4", "smb3")
# Their data does not survive a reboot or the end of a container.
VOLATILE = ("aufs", "overlay", "ramfs", "squashfs", "tmpfs")
WANTED_OPTIONS = {
    "noatime": "reads cause no writes",
    "nodev": "no device files in data directories",
    "nosuid": "no setuid programs in data directories",
}
STANDARD_INODES = 10_000


def _log_dirs(site: Site) -> Iterator[tuple[str, str, str, str, Place]]:
    """Machine, host, variable, path and file system of each directory that needs its own disk.

    Hosts that allow data on the root disk are left out.
    """
    for host, service in instances(site):
        if is_true(site.value(host, "metal_allow_root_disk", False)):
            continue
        machine = site.machine(host)
        for where, path in directories(site, host, service.own_disk_directories):
            place = site.place(machine, path)
            if place is not None and "kind" in place:
                yield machine, host, where, path, place


def file_systems(site: Site) -> Iterator[Problem]:
    """Log dirs are on a local, persistent file system, preferably XFS."""
    for _, host, where, path, place in _log_dirs(site):
        # The check root_disk reports directories on the operating system's disk.
        kind, at = place["kind"], f"{path} on {place['kind']} ({place['mount']})"
        if kind in NETWORK or kind.startswith("nfs"):
            yield Problem(
                host, where, f"{at}, a network file system", "a local disk, fast and always there"
            )
        elif kind in VOLATILE and not place["system"]:
            yield Problem(host, where, f"{at}, which does not survive a reboot", "a disk with XFS")
        elif kind != "xfs" and not place["system"]:
            reason = (
                "on ext4, deleting old segments blocks writes for longer"
                if kind == "ext4"
                else "the only file system that this platform is tested on"
            )
            yield advice(host, where, at, f"XFS: {reason}")


def mount_options(site: Site) -> Iterator[Problem]:
    """Data is mounted with noatime, nodev and nosuid."""
    found: dict[tuple[str, ...], dict[str, None]] = {}
    for machine, _, _, _, place in _log_dirs(site):
        missing = tuple(name for name in WANTED_OPTIONS if name not in place["options"])
        if missing and not place["system"]:
            found.setdefault(missing, {})[f"{place['mount']} of {machine}"] = None
    for missing, mounts in found.items():
        reasons = "; ".join(WANTED_OPTIONS[name] for name in missing)
        yield advice(
            "metal",
            "mount options",
            f"no {', '.join(missing)} on {join_names(mounts)}",
            f"these options in /etc/fstab: {reasons}",
        )


def writable(site: Site) -> Iterator[Problem]:
    """No data directory is on a file system that is mounted read-only."""
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
                    "a writable file system; the kernel's log shows if an error caused this",
                )


def inodes(site: Site) -> Iterator[Problem]:
    """The file system of every data directory has free inodes."""
    told = set()
    for host, service in instances(site):
        machine = site.machine(host)
        for where, path in directories(site, host, service.directories):
            place = site.place(machine, path)
            # 0: a file system that creates inodes on demand.
            if not place or not place.get("inodes") or (machine, place["mount"]) in told:
                continue
            told.add((machine, place["mount"]))
            own = whole_number(site.value(machine, "preflight_free_inodes"))
            least = STANDARD_INODES if own is None else own
            if place["free_inodes"] < least:
                yield Problem(
                    host,
                    where,
                    f"{place['free_inodes']} free inodes for {path} (file system {place['mount']})",
                    f"at least {least} (preflight_free_inodes)",
                )


def shared_disks(site: Site) -> Iterator[Problem]:
    """Each log dir has its own disk."""
    owners: dict[tuple[str, str], tuple[str, str]] = {}
    for machine, host, where, path, place in _log_dirs(site):
        # The check root_disk reports directories on the operating system's disk.
        if place["system"] or not place["disk"]:
            continue
        other, other_path = owners.setdefault((machine, place["disk"]), (host, path))
        if other_path != path:
            yield advice(
                host,
                where,
                f"{path} on disk {place['disk']}, as {other_path} of {other}",
                "a disk for each log dir: two on one disk fail together and share its speed",
            )


def shared_journals(site: Site) -> Iterator[Problem]:
    """A journal, with fsync before every response, does not share its disk with a log dir."""
    logs = {
        (machine, place["disk"]): (host, path)
        for machine, host, _, path, place in _log_dirs(site)
        if place["disk"]
    }
    for host, service in instances(site):
        machine = site.machine(host)
        for where, path in directories(site, host, service.fsync_directories):
            place = site.place(machine, path)
            if place and (machine, place.get("disk", "")) in logs:
                other, other_path = logs[machine, place["disk"]]
                yield advice(
                    host,
                    where,
                    f"{path} on disk {place['disk']}, as {other_path} of {other}",
                    "another disk: its fsyncs wait for the broker's writes",
                )
