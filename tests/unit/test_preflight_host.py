"""Faults of machines: disks, kernel, limits, engine, clocks; and racks of brokers."""

import pytest
from preflight_sites import (
    GIB,
    Faults,
    Sound,
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
    """Several plants that make one fault together."""

    def plant(site: Sound) -> None:
        for each in plants:
            each(site)

    return plant


def clock(offset: float, *machines: str):
    def plant(site: Sound) -> None:
        for machine in machines:
            site.facts[machine]["clock"] = {"time": 1000.5 + offset, "synchronised": True}

    return plant


FAULTS: Faults = {
    "a log dir on a network file system": (
        place("/data/2", kind="nfs4", disk=""),
        ["kafka2: kafka_broker_log_dirs[1]: found /data/2 on nfs4 (/data/2), a network file system",
         "allowed: a local disk"],
    ),
    "a log dir that forgets": (
        place("/data/2", kind="tmpfs", disk=""),
        ["kafka2: kafka_broker_log_dirs[1]: found /data/2 on tmpfs (/data/2), which does not "
         "survive a reboot", "a disk with XFS"],
    ),
    "a disk that an error made read-only": (
        place("/data/1", read_only=True),
        ["kafka2: kafka_broker_log_dirs[0]: found /data/1 on /data/1, which is read-only",
         "a file system that can be written"],
    ),
    "a disk without room for files": (
        place("/data/1", free_inodes=12),
        ["kafka2: kafka_broker_log_dirs[0]: found room for 12 more files under /data/1",
         "at least 10000 (preflight_free_inodes)"],
    ),
    "a kernel nobody maintains": (
        fact("kernel", "4.19.0-27-amd64"),
        ["m2: kernel: found 4.19.0-27-amd64; allowed: 5.10 or newer"],
    ),
    "fewer open files than a broker wants": (
        inside("limits", open_files=20000),
        ["kafka2: kafka_broker_nofile: found 100000, more than the 20000 that the engine on m2 may "
         "give", "at most 20000"],
    ),
    "an engine that hangs": (
        every(fact("engine", None), fact("silence", "/run/docker.sock: timed out")),
        ["m2: engine: found no answer of the engine of m2 (/run/docker.sock: timed out); allowed: "
         "an engine that answers: it runs and hangs"],
    ),
    "an old engine": (
        inside("engine", version="19.03.15", api="1.40"),
        ["m2: engine: found Docker 19.03.15 with API 1.40; allowed: API 1.41"],
    ),
    "an engine without root's rights": (
        inside("engine", protections=["rootless", "seccomp"]),
        ["m2: engine: found a rootless engine; allowed: one that runs as root"],
    ),
    "an engine that maps users": (
        inside("engine", protections=["seccomp", "userns"]),
        ["m2: engine: found userns-remap", "without userns-remap in /etc/docker/daemon.json"],
    ),
    "a kernel that cannot limit memory": (
        fact("cgroup", {"version": 2, "memory": False}),
        ["m2: control groups: found no memory controller, so that zookeeper_memory of zk2 would "
         "limit nothing", "cgroup_enable=memory"],
    ),
    "a clock that is late": (
        clock(-7, "m2"),
        ["m2: clock: found at least 6.0 s behind the other machines; allowed: at most 1 s "
         "(preflight_clock_offset)"],
    ),
    "a clock that is early": (
        clock(60, "m3"),
        ["m3: clock: found at least 59.0 s ahead of the other machines"],
    ),
    "a clock within the standard, and a smaller limit": (
        every(
            put_everywhere("preflight_clock_offset", "0.2"),
            clock(1.5, "m2"),
        ),
        ["m2: clock: found at least 0.5 s ahead of the other machines; allowed: at most 0.2 s"],
    ),
    "a limit of clocks in words": (
        put("m2", "preflight_clock_offset", "a second"),
        ["m2: preflight_clock_offset: found 'a second'; allowed: seconds, such as 0.5"],
    ),
    "a broker without the rack that others have": (
        put("kafka2", "kafka_broker_rack", ""),
        ["kafka2: kafka_broker_rack: found no rack for kafka2, and one for others",
         "a rack such as r1, or none for any broker"],
    ),
}  # fmt: skip

NOTES: Faults = {
    "a log dir on ext4": (
        place("/data/2", kind="ext4"),
        ["kafka2: kafka_broker_log_dirs[1]: found /data/2 on ext4 (/data/2); wanted: XFS: "
         "unlinking old segments"],
    ),
    "a log dir on a file system that is not tested": (
        place("/data/2", kind="btrfs"),
        ["kafka2: kafka_broker_log_dirs[1]: found /data/2 on btrfs", "tested on"],
    ),
    "mounted as the system does": (
        place("/data/2", options=["relatime", "rw", "nosuid"]),
        ["metal: mount options: found no noatime, nodev on /data/2 of m2; wanted: these options in "
         "/etc/fstab: reads write nothing; no devices"],
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
        ["m2: kernel.pid_max and threads-max: found 8192 threads for 3 JVMs; wanted: at least "
         "10000"],
    ),
    "more partitions than memory maps": (
        every(topic("payments", partitions=5000), inside("limits", map_count=65530)),
        ["m2: vm.max_map_count: found 65530 memory maps; wanted: at least 100240: 5012 partitions "
         "on kafka2"],
    ),
    "swap under a broker": (
        inside("limits", swap=2 * GIB),
        ["m2: /proc/swaps: found 2.0 GiB of swap; wanted: none"],
    ),
    "a port that outgoing connections take": (
        put("zk2", "zookeeper_client_port", 42181),
        ["zk2: net.ipv4.ip_local_port_range: found 42181 among 32768 to 60999",
         "net.ipv4.ip_local_reserved_ports of m2"],
    ),
    "an engine that is down, which the run starts": (
        every(fact("engine", None), fact("silence", "/run/docker.sock: Connection refused")),
        ["m2: engine: found no answer of the engine of m2 (/run/docker.sock: Connection refused); "
         "wanted: one that answers: make up starts it"],
    ),
    "images in copies": (
        inside("engine", driver="vfs"),
        ["m2: engine: found storage driver vfs; wanted: overlay2"],
    ),
    "an engine that takes containers with it": (
        inside("engine", live_restore=False),
        ["m2: engine: found no live-restore", '"live-restore": true in /etc/docker/daemon.json'],
    ),
    "SELinux that nobody tested": (
        inside("protections", selinux="enforcing"),
        ["m2: SELinux: found enforcing: containers may not see their data"],
    ),
    "AppArmor without its parser": (
        inside("protections", apparmor_parser=False),
        ["m2: AppArmor: found on, without apparmor_parser", "the package apparmor"],
    ),
    "a control node that is late": (
        clock(30, "m1", "m2", "m3"),
        ["all: clock: found at least 29.5 s between the control node and m1, m2, m3"],
    ),
    "a clock nobody keeps": (
        inside("clock", synchronised=False),
        ["metal: clock: found nobody who keeps it in step on m2", "chrony"],
    ),
    "a clock that does not tell": (
        inside("clock", synchronised=None),
        ["m2: clock synchronisation: not checked: the kernel does not tell"],
    ),
    "fewer racks than replicas": (
        put("kafka3", "kafka_broker_rack", "r1"),
        ["kafka: kafka_broker_rack: found 2 racks (r1, r2) for 3 replicas; wanted: 3 racks"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_a_machine_is_fatal_and_told_once(name):
    plant, expected = FAULTS[name]
    site = Sound()
    plant(site)
    found = problems(site)
    assert len(found) == 1, found
    # A machine that differs from the others is told as well.
    notes = [note for note in problems(site, fatal=False) if "wanted: one version" not in note]
    assert notes == []
    for text in expected:
        assert text in found[0]


@pytest.mark.parametrize("name", NOTES)
def test_what_would_better_be_otherwise_is_noted_and_stops_nothing(name):
    plant, expected = NOTES[name]
    site = Sound()
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
def test_where_data_may_lie_on_the_root_disk_nothing_is_asked_of_disks(plant):
    site = Sound()
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


def test_a_declared_disk_is_judged_when_it_is_mounted_and_not_before():
    site = Sound()
    NOT_MOUNTED(site)
    assert "which lies on the disk of the operating system" in problems(site)[0]
    site.hosts["m2"]["host_disks"] = DECLARED
    assert problems(site) == []
    assert problems(site, fatal=False) == []
    place("/data/2", mount="/data/2", kind="nfs", system=False)(site)
    assert "a network file system" in problems(site)[0]


def test_an_inode_count_of_zero_is_a_file_system_that_makes_them_as_needed():
    site = Sound()
    place("/data/1", inodes=0, free_inodes=0)(site)
    assert problems(site) == []


def test_a_limit_of_inodes_can_be_set_for_a_machine():
    site = Sound()
    place("/data/1", free_inodes=12)(site)
    site.hosts["m2"]["preflight_free_inodes"] = 10
    assert problems(site) == []


def test_the_engine_s_own_limit_of_open_files_is_never_too_low():
    site = Sound()
    inside("limits", open_files=1024)(site)
    site.hosts["kafka2"]["kafka_broker_nofile"] = 0
    assert problems(site) == []


def test_memory_limits_need_a_controller_only_where_there_are_limits():
    site = Sound()
    fact("cgroup", {"version": 1, "memory": False})(site)
    for host in site.hosts.values():
        host.update({name: "" for name in ("zookeeper_memory", "spark_memory") if name in host})
    assert problems(site) == []


def test_a_fresh_machine_without_an_engine_is_sound():
    site = Sound()
    fact("engine", None)(site)
    assert problems(site) == []
    assert problems(site, fatal=False) == []


def test_slow_connections_do_not_make_clocks_wrong():
    site = Sound()
    # The machine needed ten seconds to answer; its clock may be right.
    site.facts["m2"]["asked"] = {"before": 1000.0, "after": 1010.0}
    site.facts["m2"]["clock"] = {"time": 1009.0, "synchronised": True}
    assert problems(site) == []
    assert problems(site, fatal=False) == []


def test_of_two_clocks_one_is_told():
    site = Sound()
    del site.facts["m3"]
    clock(60, "m2")(site)
    assert len(problems(site)) == 1


def test_a_reserved_port_is_not_taken_by_outgoing_connections():
    site = Sound()
    site.hosts["zk2"]["zookeeper_client_port"] = 42181
    site.facts["m2"]["ephemeral"]["reserved"] = [[42000, 42200]]
    assert problems(site, fatal=False) == []


def test_brokers_without_any_rack_are_sound():
    site = Sound()
    for number in (1, 2, 3):
        site.hosts[f"kafka{number}"]["kafka_broker_rack"] = ""
    assert problems(site) == []
    assert problems(site, fatal=False) == []


def test_a_port_in_use_on_a_machine_is_still_told_beside_notes():
    site = Sound()
    inside("limits", swap=GIB)(site)
    listener(9092)(site)
    assert len(problems(site)) == 1
    assert len(problems(site, fatal=False)) == 1


@pytest.mark.parametrize("silence", ["", "not installed"])
def test_an_engine_that_answers_or_is_still_to_be_installed_is_sound(silence):
    site = Sound()
    fact("silence", silence)(site)
    assert problems(site) + problems(site, fatal=False) == []
