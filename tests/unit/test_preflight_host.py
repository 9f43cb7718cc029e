"""Faults of machines: disks, kernel, limits, engine, clocks and racks."""

import pytest
from preflight_sites import (
    GIB,
    Faults,
    ValidSite,
    fact,
    inside,
    listener,
    place,
    problems,
    put,
    put_everywhere,
    topic,
)


def every(*plants):
    """Several functions that together plant one fault."""

    def plant(site: ValidSite) -> None:
        for each in plants:
            each(site)

    return plant


def clock(offset: float, *machines: str):
    def plant(site: ValidSite) -> None:
        for machine in machines:
            site.facts[machine]["clock"] = {"time": 1000.5 + offset, "synchronised": True}

    return plant


FAULTS: Faults = {
    "a log dir on a network file system": (
        place("/data/2", kind="nfs4", disk=""),
        ["kafka2: kafka_broker_log_dirs[1]: found /data/2 on nfs4 (/data/2), a network file system",
         "allowed: a local disk"],
    ),
    "a log dir on a volatile file system": (
        place("/data/2", kind="tmpfs", disk=""),
        ["kafka2: kafka_broker_log_dirs[1]: found /data/2 on tmpfs (/data/2), which does not "
         "survive a reboot", "a disk with XFS"],
    ),
    "a disk that an error made read-only": (
        place("/data/1", read_only=True),
        ["kafka2: kafka_broker_log_dirs[0]: found /data/1 on /data/1, which is read-only",
         "a writable file system"],
    ),
    "a disk without free inodes": (
        place("/data/1", free_inodes=12),
        ["kafka2: kafka_broker_log_dirs[0]: found 12 free inodes for /data/1",
         "at least 10000 (preflight_free_inodes)"],
    ),
    "a kernel that is no longer maintained": (
        fact("kernel", "4.19.0-27-amd64"),
        ["m2: kernel: found 4.19.0-27-amd64; allowed: 5.10 or newer"],
    ),
    "fewer open files than declared": (
        inside("limits", open_files=20000),
        ["kafka2: kafka_broker_nofile: found 100000, more than the engine on m2 allows: 20000",
         "at most 20000"],
    ),
    "an engine that hangs": (
        every(fact("engine", None), fact("engine_error", "/run/docker.sock: timed out")),
        ["m2: engine: found no response from the engine of m2 (/run/docker.sock: timed out); "
         "allowed: an engine that responds: it runs but hangs"],
    ),
    "an old engine": (
        inside("engine", version="19.03.15", api="1.40"),
        ["m2: engine: found Docker 19.03.15 with API 1.40; allowed: API 1.41"],
    ),
    "a rootless engine": (
        inside("engine", protections=["rootless", "seccomp"]),
        ["m2: engine: found a rootless engine; allowed: one that runs as root"],
    ),
    "an engine with userns-remap": (
        inside("engine", protections=["seccomp", "userns"]),
        ["m2: engine: found userns-remap", "without userns-remap in /etc/docker/daemon.json"],
    ),
    "a kernel that cannot limit memory": (
        fact("cgroup", {"version": 2, "memory": False}),
        ["m2: control groups: found no memory controller, so that zookeeper_memory of zk2 would "
         "have no effect", "cgroup_enable=memory"],
    ),
    "a slow clock": (
        clock(-7, "m2"),
        ["m2: clock: found at least 6.0 s behind the other machines; allowed: at most 1 s "
         "(preflight_clock_offset)"],
    ),
    "a fast clock": (
        clock(60, "m3"),
        ["m3: clock: found at least 59.0 s ahead of the other machines"],
    ),
    "a clock within the default limit, but not within a smaller one": (
        every(
            put_everywhere("preflight_clock_offset", "0.2"),
            clock(1.5, "m2"),
        ),
        ["m2: clock: found at least 0.5 s ahead of the other machines; allowed: at most 0.2 s"],
    ),
    "a clock limit that is not a number": (
        put("m2", "preflight_clock_offset", "a second"),
        ["m2: preflight_clock_offset: found 'a second'; allowed: seconds, such as 0.5"],
    ),
    "a broker without a rack while others have one": (
        put("kafka2", "kafka_broker_rack", ""),
        ["kafka2: kafka_broker_rack: found no rack for kafka2, but a rack for others",
         "a rack such as r1, or none for any broker"],
    ),
}  # fmt: skip

NOTES: Faults = {
    "a log dir on ext4": (
        place("/data/2", kind="ext4"),
        ["kafka2: kafka_broker_log_dirs[1]: found /data/2 on ext4 (/data/2); recommended: XFS: "
         "on ext4, deleting old segments"],
    ),
    "a log dir on a file system that is not tested": (
        place("/data/2", kind="btrfs"),
        ["kafka2: kafka_broker_log_dirs[1]: found /data/2 on btrfs", "tested on"],
    ),
    "default mount options": (
        place("/data/2", options=["relatime", "rw", "nosuid"]),
        ["metal: mount options: found no noatime, nodev on /data/2 of m2; recommended: these "
         "options in /etc/fstab: reads cause no writes; no device files"],
    ),
    "two log dirs on one disk": (
        place("/data/2", disk="sdb"),
        ["kafka2: kafka_broker_log_dirs[1]: found /data/2 on disk sdb, as /data/1 of kafka2",
         "a disk for each log dir"],
    ),
    "a transaction log on the disk of a broker": (
        place("/var/lib/zk/log", mount="/data/1", disk="sdb", system=False),
        ["zk2: zookeeper_log_dir: found /var/lib/zk/log on disk sdb, as /data/1 of kafka2",
         "another disk"],
    ),
    "few threads": (
        inside("limits", processes=8192),
        ["m2: kernel.pid_max and threads-max: found 8192 threads for 3 JVMs; recommended: at least "
         "10000"],
    ),
    "more partitions than memory maps": (
        every(topic("payments", partitions=5000), inside("limits", map_count=65530)),
        ["m2: vm.max_map_count: found 65530 memory maps; recommended: at least 100240: 5012 "
         "partitions on kafka2"],
    ),
    "swap under a broker": (
        inside("limits", swap=2 * GIB),
        ["m2: /proc/swaps: found 2.0 GiB of swap; recommended: none"],
    ),
    "a port in the range of outgoing connections": (
        put("zk2", "zookeeper_client_port", 42181),
        ["zk2: net.ipv4.ip_local_port_range: found 42181 in the range 32768 to 60999",
         "net.ipv4.ip_local_reserved_ports of m2"],
    ),
    "a stopped engine, which the run starts": (
        every(fact("engine", None), fact("engine_error", "/run/docker.sock: Connection refused")),
        ["m2: engine: found no response from the engine of m2 (/run/docker.sock: Connection "
         "refused); recommended: an engine that responds: make up starts it"],
    ),
    "a storage driver that copies images": (
        inside("engine", driver="vfs"),
        ["m2: engine: found storage driver vfs; recommended: overlay2"],
    ),
    "an engine without live-restore": (
        inside("engine", live_restore=False),
        ["m2: engine: found no live-restore", '"live-restore": true in /etc/docker/daemon.json'],
    ),
    "enforcing SELinux": (
        inside("protections", selinux="enforcing"),
        ["m2: SELinux: found enforcing: containers may be denied access to their data"],
    ),
    "AppArmor without its parser": (
        inside("protections", apparmor_parser=False),
        ["m2: AppArmor: found enabled, without apparmor_parser", "the package apparmor"],
    ),
    "a control node with a slow clock": (
        clock(30, "m1", "m2", "m3"),
        ["all: clock: found at least 29.5 s between the control node and m1, m2, m3"],
    ),
    "an unsynchronised clock": (
        inside("clock", synchronised=False),
        ["metal: clock: found not synchronised on m2", "chrony"],
    ),
    "unknown clock synchronisation": (
        inside("clock", synchronised=None),
        ["m2: clock synchronisation: not checked: the kernel does not report it"],
    ),
    "fewer racks than replicas": (
        put("kafka3", "kafka_broker_rack", "r1"),
        ["kafka: kafka_broker_rack: found 2 racks (r1, r2) for 3 replicas; recommended: 3 racks"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_fault_of_a_machine_is_fatal_and_reported_once(name):
    plant, expected = FAULTS[name]
    site = ValidSite()
    plant(site)
    found = problems(site)
    assert len(found) == 1, found
    # Differences between machines are also reported.
    notes = [note for note in problems(site, fatal=False) if "recommended: one version" not in note]
    assert notes == []
    for text in expected:
        assert text in found[0]


@pytest.mark.parametrize("name", NOTES)
def test_improvable_setting_is_a_note(name):
    plant, expected = NOTES[name]
    site = ValidSite()
    plant(site)
    assert problems(site) == []
    found = problems(site, fatal=False)
    assert len(found) == 1, found
    for text in expected:
        assert text in found[0]


@pytest.mark.parametrize(
    "plant",
    [
        place("/data/2", mount="/", kind="overlay", disk="sda", system=True),
        place("/data/2", kind="tmpfs"),
        place("/data/2", kind="ext4", options=["relatime", "rw"], disk="sdb"),
    ],
)
def test_disks_are_not_checked_if_data_may_be_on_root_disk(plant):
    site = ValidSite()
    plant(site)
    for host in site.hosts.values():
        host["metal_allow_root_disk"] = True
    assert problems(site) == []
    assert problems(site, fatal=False) == []


DECLARED = [
    {"name": "disk1", "serial": "A1", "mount": "/data/1"},
    {"name": "disk2", "serial": "A2", "mount": "/data/2/"},
]
NOT_MOUNTED = place("/data/2", mount="/", kind="ext4", options=["rw"], disk="sda", system=True)


def test_declared_disk_is_checked_only_once_it_is_mounted():
    site = ValidSite()
    NOT_MOUNTED(site)
    assert "which is on the disk of the operating system" in problems(site)[0]
    site.hosts["m2"]["host_disks"] = DECLARED
    assert problems(site) == []
    assert problems(site, fatal=False) == []
    place("/data/2", mount="/data/2", kind="nfs", system=False)(site)
    assert "a network file system" in problems(site)[0]


def test_file_system_with_inodes_on_demand_is_accepted():
    site = ValidSite()
    place("/data/1", inodes=0, free_inodes=0)(site)
    assert problems(site) == []


def test_inode_limit_can_be_set_for_a_machine():
    site = ValidSite()
    place("/data/1", free_inodes=12)(site)
    site.hosts["m2"]["preflight_free_inodes"] = 10
    assert problems(site) == []


def test_engine_default_limit_of_open_files_is_accepted():
    site = ValidSite()
    inside("limits", open_files=1024)(site)
    site.hosts["kafka2"]["kafka_broker_nofile"] = 0
    assert problems(site) == []


def test_memory_controller_is_only_required_with_memory_limits():
    site = ValidSite()
    fact("cgroup", {"version": 1, "memory": False})(site)
    for host in site.hosts.values():
        host.update({name: "" for name in ("zookeeper_memory", "spark_memory") if name in host})
    assert problems(site) == []


def test_new_machine_without_an_engine_is_accepted():
    site = ValidSite()
    fact("engine", None)(site)
    assert problems(site) == []
    assert problems(site, fatal=False) == []


def test_slow_connections_are_no_clock_difference():
    site = ValidSite()
    # The machine responded after ten seconds; its clock may be right.
    site.facts["m2"]["control_node_time"] = {"before": 1000.0, "after": 1010.0}
    site.facts["m2"]["clock"] = {"time": 1009.0, "synchronised": True}
    assert problems(site) == []
    assert problems(site, fatal=False) == []


def test_of_two_different_clocks_one_is_reported():
    site = ValidSite()
    del site.facts["m3"]
    clock(60, "m2")(site)
    assert len(problems(site)) == 1


def test_reserved_port_in_the_outgoing_range_is_accepted():
    site = ValidSite()
    site.hosts["zk2"]["zookeeper_client_port"] = 42181
    site.facts["m2"]["ephemeral"]["reserved"] = [[42000, 42200]]
    assert problems(site, fatal=False) == []


def test_brokers_without_any_rack_are_accepted():
    site = ValidSite()
    for number in (1, 2, 3):
        site.hosts[f"kafka{number}"]["kafka_broker_rack"] = ""
    assert problems(site) == []
    assert problems(site, fatal=False) == []


def test_port_in_use_is_reported_in_addition_to_notes():
    site = ValidSite()
    inside("limits", swap=GIB)(site)
    listener(9092)(site)
    assert len(problems(site)) == 1
    assert len(problems(site, fatal=False)) == 1


@pytest.mark.parametrize("reason", ["", "not installed"])
def test_responding_or_missing_engine_is_accepted(reason):
    site = ValidSite()
    fact("engine_error", reason)(site)
    assert problems(site) + problems(site, fatal=False) == []
