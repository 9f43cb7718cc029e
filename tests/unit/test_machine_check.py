"""Metrics of file systems, written by the health check of the node exporter."""

import subprocess
import time
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "roles/monitoring/files/machine_check.sh"
MOUNTS = r"""20 1 8:0 / / rw,relatime shared:1 master:2 - ext4 /dev/sda rw
21 20 8:0 /x /etc/hosts rw,relatime - ext4 /dev/sda rw
22 20 8:0 /y /etc/secrets ro,relatime - ext4 /dev/sda rw
23 20 8:0 /z /logs ro,relatime - ext4 /dev/sda rw,errors=remount-ro
24 20 8:16 / /data/disk1 rw,noatime master:3 - xfs /dev/sdb rw,inode64
25 20 8:32 / /data/disk2 rw,noatime master:4 - xfs /dev/sdc ro,inode64
26 20 8:48 / /data/disk\0403 rw - ext4 /dev/sdd ro,errors=remount-ro
30 20 8:96 / /data/a\134b"c rw - xfs /dev/mapper/d\134e ro
31 20 8:97 / /data/cut rw - xfs
32 20 8:98 / /data/cut rw
27 20 8:64 / /data/disk5 rw - xfs /dev/sde ro
28 20 8:80 / /data/disk5 rw - xfs /dev/sdf rw
29 20 0:5 / /proc ro - proc proc ro
"""


def run_check(tmp_path: Path, file: Path) -> int:
    mounts = tmp_path / "mounts"
    mounts.write_text(MOUNTS)
    # As in the health check.
    command = ["bash", "-c", 'eval "$0"', SCRIPT.read_text(), file, "^/etc/", mounts]
    return subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode


def test_read_only_file_systems_have_the_value_1(tmp_path: Path):
    file = tmp_path / "checked.prom"
    assert run_check(tmp_path, file) == 0
    lines = [line for line in file.read_text().splitlines() if "readonly{" in line]
    assert {line.split('mountpoint="')[1] for line in lines} == {
        '/"} 0',
        '/logs"} 0',
        '/data/disk1"} 0',
        '/data/disk2"} 1',
        '/data/disk 3"} 1',
        r'/data/a\\b\"c"} 1',
        '/data/disk5"} 0',
    }


def test_check_writes_the_time_of_its_run(tmp_path: Path):
    file = tmp_path / "checked.prom"
    run_check(tmp_path, file)
    lines = file.read_text().splitlines()
    (line,) = [text for text in lines if text.startswith("kafka_metal_engine")]
    assert abs(time.time() - int(line.split()[1])) < 60


def test_an_unwritable_file_is_no_failure(tmp_path: Path):
    assert run_check(tmp_path, tmp_path / "none/checked.prom") == 0
