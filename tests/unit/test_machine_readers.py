"""Readers of machine_info for disks, kernel, network and engine, with texts of real machines."""

import os
import socket
import time

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._common.deadlines import query_all
from ansible_collections.metal.kafka.plugins.module_utils._host import (
    engine_facts,
    filesystems,
    kernel,
    mount_table,
    network,
)

MOUNTS = (
    "22 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw,errors=remount-ro\n"
    "30 22 8:17 / /data/disk\\0401 rw,nosuid,nodev,noatime shared:5 - xfs /dev/sdb1 rw,attr2\n"
    "31 22 0:55 / /data/far rw,relatime - nfs4 filer:/export ro,vers=4.2\n"
)


def test_mount_has_type_and_all_options():
    found = mount_table.mounts_by_point(MOUNTS)
    disk, far = found["/data/disk 1"], found["/data/far"]
    assert (disk.device, disk.kind) == ("8:17", "xfs")
    assert {disk.options, disk.system_options} == {"rw,nosuid,nodev,noatime", "rw,attr2"}
    assert far.kind == "nfs4"
    assert "ro" in f"{far.options},{far.system_options}".split(",")


@pytest.fixture
def block(tmp_path):
    """Devices in sysfs: sdb with a partition, a mapping on sdc, a stripe over two disks."""
    devices, numbers = tmp_path / "devices", tmp_path / "block"
    for path in ("sdb/sdb1", "sdc", "sdd", "dm-0/slaves", "md0/slaves"):
        (devices / path).mkdir(parents=True)
    (devices / "sdb/sdb1/partition").write_text("1\n")
    numbers.mkdir()
    links = {"8:16": "sdb", "8:17": "sdb/sdb1", "8:32": "sdc", "253:0": "dm-0", "9:0": "md0"}
    for number, target in links.items():
        (numbers / number).symlink_to(devices / target)
    (devices / "dm-0/slaves/sdc").symlink_to(devices / "sdc")
    for name in ("sdc", "sdd"):
        (devices / "md0/slaves" / name).symlink_to(devices / name)
    return str(numbers)


@pytest.mark.parametrize(
    ("number", "disk"),
    [("8:16", "sdb"), ("8:17", "sdb"), ("253:0", "sdc"), ("9:0", "md0"), ("0:55", "0:55")],
)
def test_disk_of_a_partition_or_mapping_is_found(block, number, disk):
    assert filesystems.whole_disk(number, block) == disk


def test_real_file_system_has_inodes(tmp_path):
    table = mount_table.mounts_by_point(f"1 2 0:1 / {tmp_path} rw,noatime - xfs /dev/sdb rw,attr2")
    found = filesystems.describe_mount(str(tmp_path), table)
    assert (found["kind"], found["read_only"], found["disk"]) == ("xfs", False, "0:1")
    assert found["options"] == ["attr2", "noatime", "rw"]
    assert 0 <= found["free_inodes"] <= found["inodes"]


LIMITS = (
    "Limit                     Soft Limit           Hard Limit           Units\n"
    "Max processes             96269                96269                processes\n"
    "Max open files            1024                 {}                files\n"
)


@pytest.mark.parametrize(
    ("hard", "capabilities", "most"),
    [
        ("524288", "000001ffffffffff", 1048576),
        ("20000", "00000000a80425fb", 20000),
        ("unlimited", "00000000a80425fb", 1048576),
    ],
)
def test_open_files_depend_on_limit_and_capability(hard, capabilities, most):
    status = f"Name:\tdockerd\nCapEff:\t{capabilities}\n"
    assert kernel.open_files(LIMITS.format(hard), status, 1048576) == most


def test_swap_is_the_sum_of_all_areas_in_bytes():
    text = (
        "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
        "/dev/sda2                               partition\t1000\t\t0\t\t-2\n"
        "/swap\\040file                           file\t\t24\t\t0\t\t-3\n"
    )
    assert kernel.swap_bytes(text) == 1024 * 1024
    assert kernel.swap_bytes(text.splitlines()[0]) == 0


@pytest.mark.parametrize(
    ("v2", "v1", "expected"),
    [
        ("cpuset cpu io memory pids\n", "", {"version": 2, "memory": True}),
        ("cpuset cpu io pids\n", "", {"version": 2, "memory": False}),
        (None, "#subsys\nmemory\t4\t288\t1\ncpu\t2\t1\t1\n", {"version": 1, "memory": True}),
        (None, "#subsys\nmemory\t0\t1\t0\n", {"version": 1, "memory": False}),
    ],
)
def test_control_groups_report_the_memory_controller(v2, v1, expected):
    assert kernel.cgroup("nodev\tcgroup\nnodev\tcgroup2\n", v2, v1) == expected


def test_port_ranges_are_parsed():
    assert kernel.port_ranges("\n") == []
    assert kernel.port_ranges("22,8080-8090\n") == [[22, 22], [8080, 8090]]


def test_clock_of_this_machine_is_readable():
    assert kernel.is_clock_synchronised() in (True, False, None)


def test_only_global_ipv6_addresses_are_returned():
    text = (
        "fd000000000000000000000000000002 02 40 00 80     eth0\n"
        "fe80000000000000004250fffe77bbd8 03 40 20 80     eth0\n"
        "00000000000000000000000000000001 01 80 10 80       lo\n"
    )
    assert network.addresses_v6(text) == ["fd00::2"]


def test_names_are_looked_up_forward_and_reverse():
    found = network.look_up_all(["localhost", "no-such-host.invalid"], seconds=10)
    assert (
        "127.0.0.1" in found["localhost"]["addresses"] or "::1" in (found["localhost"]["addresses"])
    )
    assert found["no-such-host.invalid"] in (
        None,
        {"addresses": [], "reverse": None, "confirmed": False},
    )


def test_interfaces_of_this_machine_have_addresses():
    for found in network.interfaces():
        assert socket.inet_aton(found["address"])
        assert found["name"] != "lo"
        assert found["mtu"] > 500


VERSION = {"Version": "26.1.5+dfsg1", "ApiVersion": "1.45"}
INFO = {
    "Driver": "overlay2",
    "DockerRootDir": "/var/lib/docker",
    "LiveRestoreEnabled": True,
    "MemoryLimit": True,
    "SecurityOptions": ["name=apparmor", "name=seccomp,profile=builtin", "name=cgroupns"],
}


def test_engine_facts_come_from_its_responses():
    assert engine_facts.select_facts(VERSION, INFO) == {
        "version": "26.1.5+dfsg1",
        "api": "1.45",
        "driver": "overlay2",
        "root": "/var/lib/docker",
        "live_restore": True,
        "memory_limit": True,
        "protections": ["apparmor", "cgroupns", "seccomp"],
    }


def test_missing_engine_has_no_facts(tmp_path):
    path = str(tmp_path / "no.sock")
    assert engine_facts.engine(path) is None
    assert engine_facts.no_response_reason(path, ("/usr/bin/none",)) == engine_facts.NOT_INSTALLED
    assert engine_facts.no_response_reason(path, ("/",)) == f"{path}: No such file or directory"


def test_hung_queries_are_omitted_after_the_timeout():
    def query(item):
        time.sleep(30 if item == "slow" else 0)
        return item.upper()

    begun = time.monotonic()
    assert query_all(["a", "slow", "b", "a"], query, seconds=0.5) == {"a": "A", "b": "B"}
    assert time.monotonic() - begun < 5


def test_more_queries_than_threads_all_return():
    assert len(query_all(range(500), abs, seconds=30, width=8)) == 500


def test_engine_process_is_found_by_name(tmp_path):
    for pid, name in (("1", "systemd"), ("33", "dockerd"), ("77", "dockerd"), ("self", "python3")):
        (tmp_path / pid / "ns").mkdir(parents=True)
        (tmp_path / pid / "comm").write_text(name + "\n")
        (tmp_path / pid / "ns/pid").symlink_to("pid:[2]" if pid == "33" else "pid:[1]")
    assert kernel.engine_process(str(tmp_path)) == "77"
    os.remove(tmp_path / "77" / "comm")
    assert kernel.engine_process(str(tmp_path)) == "1"
