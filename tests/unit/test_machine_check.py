"""Metrics of file systems, written by the health check of the node exporter."""

import socket
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
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


def run_check(tmp_path: Path, file: Path, *services: str) -> int:
    mounts = tmp_path / "mounts"
    mounts.write_text(MOUNTS)
    # As in the health check.
    command = ["bash", "-c", 'eval "$0"', SCRIPT.read_text(), file, "^/etc/", mounts, *services]
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


class Service(BaseHTTPRequestHandler):
    """Ready at one path only."""

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/health/ready" else 503)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_a_service_is_ready_if_it_answers_with_200(tmp_path: Path):
    file = tmp_path / "checked.prom"
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    # Accepts connections, and answers none.
    with socket.create_server(("127.0.0.1", 0)) as silent, server:
        at = f"127.0.0.1:{server.server_port}"
        frozen = f"127.0.0.1:{silent.getsockname()[1]}"
        services = [f"a1={at}/health/ready", f"a2={at}/other", f"a3={frozen}/x", "a4=127.0.0.1:1/x"]
        assert run_check(tmp_path, file, *services) == 0
        server.shutdown()
    lines = [line for line in file.read_text().splitlines() if "service_ready" in line]
    assert lines[0] == "# TYPE kafka_metal_service_ready gauge"
    assert {line.removeprefix("kafka_metal_service_ready") for line in lines[1:]} == {
        '{of_instance="a1"} 1',
        '{of_instance="a2"} 0',
        '{of_instance="a3"} 0',
        '{of_instance="a4"} 0',
    }
    assert "kafka_metal_engine_checked_time_seconds" in file.read_text()


def test_a_machine_without_such_services_has_no_metric(tmp_path: Path):
    file = tmp_path / "checked.prom"
    run_check(tmp_path, file)
    assert "service_ready" not in file.read_text()
