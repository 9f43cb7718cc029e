"""What the health check of the node exporter tells of its machine's file systems."""

import subprocess
import time
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "roles/monitoring/files/machine_check.sh"
MOUNTS = r"""/dev/sda / ext4 rw,relatime 0 0
/dev/sda /etc/hosts ext4 ro,relatime 0 0
/dev/sdb /data/disk1 xfs rw,noatime,inode64 0 0
/dev/sdc /data/disk2 xfs ro,noatime,inode64 0 0
/dev/sdd /data/disk\0403 ext4 ro,errors=remount-ro 0 0
/dev/sde /data/disk4 ext4 rw,errors=remount-ro 0 0
/dev/sde /data/disk5 xfs ro 0 0
/dev/sdf /data/disk5 xfs rw 0 0
proc /proc proc ro 0 0
"""


def told(tmp_path: Path, file: Path) -> int:
    mounts = tmp_path / "mounts"
    mounts.write_text(MOUNTS)
    command = ["bash", "-c", SCRIPT.read_text(), "check", file, "^/etc/", mounts]
    return subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode


def test_file_systems_are_read_only_or_not(tmp_path: Path):
    file = tmp_path / "checked.prom"
    assert told(tmp_path, file) == 0
    lines = [line for line in file.read_text().splitlines() if "readonly{" in line]
    assert {line.split('mountpoint="')[1] for line in lines} == {
        '/"} 0',
        '/data/disk1"} 0',
        '/data/disk2"} 1',
        r'/data/disk\\0403"} 1',
        '/data/disk4"} 0',
        '/data/disk5"} 0',
    }


def test_it_says_when_it_ran(tmp_path: Path):
    file = tmp_path / "checked.prom"
    told(tmp_path, file)
    lines = file.read_text().splitlines()
    (line,) = [text for text in lines if text.startswith("kafka_metal_engine")]
    assert abs(time.time() - int(line.split()[1])) < 60


def test_a_file_that_cannot_be_written_is_no_failure(tmp_path: Path):
    assert told(tmp_path, tmp_path / "none/checked.prom") == 0
