"""Devices are found by facts of kernel and udev, here in a tree of files."""

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._host.disks import disk_devices
from ansible_collections.metal.kafka.plugins.module_utils._host.disks.disk_model import Mount, Spec

GIB = 1024**3


@pytest.fixture
def machine(tmp_path):
    """SATA disks identified by udev and by VPD pages, NVMe, virtio, and a multipath disk."""

    def block(name, number, **files):
        folder = tmp_path / "sys/block" / name
        files = {"dev": number, "size": str(4 * GIB // 512), **files}
        for path, content in files.items():
            at = folder / path
            at.parent.mkdir(parents=True, exist_ok=True)
            at.write_bytes(content if isinstance(content, bytes) else f"{content}\n".encode())
        return folder

    block("sda", "8:0")
    udev = tmp_path / "udev"
    udev.mkdir()
    (udev / "b8:0").write_text(
        "S:disk/by-id/ata-WDC_1\nE:ID_SERIAL=WDC_1_WD-A1\nE:ID_SERIAL_SHORT=WD-A1\n"
        "E:ID_WWN=0x50014ee2b5f1a2c3\n"
    )
    block("sdb", "8:16", **{"device/vpd_pg80": b"\0\x80\0\x05  B22", "device/wwid": "naa.5000b"})
    block("nvme0n1", "259:0", wwid="eui.0025385b71b0", **{"device/serial": "S4NV   "})
    block("nvme0c0n1", "259:1", hidden="1", **{"device/serial": "S4NV"})
    block("vda", "254:0", serial="virt-1")
    for name, number in (("sdc", "8:32"), ("sdd", "8:48")):
        folder = block(name, number, **{"device/vpd_pg80": b"\0\x80\0\x03M33"})
        (folder / "holders").mkdir()
        (folder / "holders" / "dm-0").touch()
    block("dm-0", "253:0", **{"dm/uuid": "mpath-36001405"})
    (udev / "b253:0").write_text("E:DM_SERIAL=M33\n")
    block("sr0", "11:0", serial="virt-1")
    block("sde", "8:64", size="0", serial="virt-1")
    return disk_devices.BlockDevices(str(tmp_path / "sys"), str(udev), str(tmp_path / "dev"))


@pytest.mark.parametrize(
    ("how", "names"),
    [
        ({"serial": "WD-A1"}, ["sda"]),
        ({"serial": "WDC_1_WD-A1"}, ["sda"]),
        ({"wwn": "50014ee2b5f1a2c3"}, ["sda"]),
        ({"serial": "B22"}, ["sdb"]),
        ({"wwn": "0x5000b"}, ["sdb"]),
        ({"serial": "s4nv"}, ["nvme0n1"]),
        ({"wwn": "eui.0025385b71b0"}, ["nvme0n1"]),
        ({"serial": "virt-1"}, ["vda"]),
        # The multipath disk, not its two paths.
        ({"serial": "M33"}, ["dm-0"]),
        ({"wwn": "36001405"}, ["dm-0"]),
        # Serial numbers are not WWNs, and partial identifiers do not match.
        ({"wwn": "B22"}, []),
        ({"serial": "WD-A"}, []),
        ({"path": "/dev/null"}, []),
        ({"path": "/dev/not-there"}, []),
    ],
)
def test_device_is_found_by_its_identifier(machine, how, names):
    found = machine.find(Spec("disk1", "/data/disk1", **how))
    assert [place.name for place in found] == names


def test_mount_options_include_a_read_only_file_system(tmp_path):
    table = tmp_path / "mountinfo"
    table.write_text(
        "30 22 8:16 / /data/disk\\0401 rw,noatime shared:5 - xfs /dev/sdb rw,attr2\n"
        "31 22 8:32 / /data/disk2 rw,noatime - xfs /dev/sdc ro\n"
    )
    assert disk_devices.parse_mounts(str(table)) == [
        ("8:16", Mount("/data/disk 1", ("rw", "noatime"))),
        ("8:32", Mount("/data/disk2", ("rw", "noatime", "ro"))),
    ]
