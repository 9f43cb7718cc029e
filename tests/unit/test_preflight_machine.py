"""Facts of machine_info, from text in the format of kernels and container engines."""

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._common import container_labels
from ansible_collections.metal.kafka.plugins.module_utils._host import (
    container_list,
    container_processes,
    filesystems,
    listeners,
    mount_table,
    procfs,
)

OWN = "a" * 64
ALIEN = "b" * 64


def test_system_is_read_from_os_release():
    text = 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nID=debian\n\nVERSION_ID="13"\n'
    assert procfs.system(text) == {
        "id": "debian",
        "version": "13",
        "name": "Debian GNU/Linux 13 (trixie)",
    }


def test_system_without_names_is_unknown_and_no_error():
    assert procfs.system("") == {"id": "", "version": "", "name": "an unnamed system"}


def test_memory_is_in_bytes():
    assert procfs.memory("MemTotal:       24684096 kB\nMemFree: 1 kB\n") == 24684096 * 1024


def test_missing_memory_is_an_error():
    with pytest.raises(ValueError, match="MemTotal"):
        procfs.memory("MemFree: 1 kB\n")


def test_addresses_are_local_ones_without_loopback():
    text = (
        "Main:\n  |-- 10.0.0.0\n     /24 link UNICAST\n  |-- 10.0.0.7\n     /32 host LOCAL\n"
        "  |-- 127.0.0.1\n     /32 host LOCAL\n  |-- 10.0.0.255\n     /32 link BROADCAST\n"
    )
    assert procfs.local_addresses(text) == ["10.0.0.7"]


MOUNTS = (
    "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
    "30 22 8:16 / /data/disk\\0401 rw,noatime shared:5 - xfs /dev/sdb rw\n"
    "31 22 254:0 /srv/x /bind rw - ext4 /dev/vda rw\n"
    "32 22 8:32 / /bind rw - xfs /dev/sdc rw\n"
)


def test_last_mount_on_a_mount_point_counts():
    found = mount_table.mounts_by_point(MOUNTS)
    assert {point: (row.device, row.source) for point, row in found.items()} == {
        "/": ("254:0", "/dev/vda"),
        "/data/disk 1": ("8:16", "/dev/sdb"),
        "/bind": ("8:32", "/dev/sdc"),
    }


def mounted(devices):
    """Return a mount table by mount point, each with device number and node."""
    return {
        str(point): mount_table.MountEntry(number, "/", str(point), "rw", True, "xfs", node)
        for point, (number, node) in devices.items()
    }


@pytest.mark.parametrize(
    ("path", "mount"),
    [
        ("/data/1/kafka", "/data/1"),
        ("/data/1", "/data/1"),
        ("/data/10", "/data"),
        ("/database", "/"),
        ("/", "/"),
    ],
)
def test_path_is_on_its_longest_mount_point(path, mount):
    assert mount_table.mount_point_of(path, ["/", "/data", "/data/1"]) == mount


def test_missing_path_has_the_filesystem_of_its_nearest_parent(tmp_path):
    table = mounted({"/": ("254:0", "/dev/vda"), tmp_path: ("8:16", "/dev/sdb")})
    found = filesystems.describe_path(str(tmp_path / "missing" / "path"), table)
    assert (found["mount"], found["device"], found["system"]) == (str(tmp_path), "/dev/sdb", False)
    assert 0 < found["free"] < found["total"]


def test_link_is_followed_to_its_disk(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    table = mounted({"/": ("254:0", "/dev/vda"), tmp_path / "disk": ("8:16", "/dev/sdb")})
    assert (
        filesystems.describe_path(str(tmp_path / "link" / "kafka"), table)["device"] == "/dev/sdb"
    )


def test_bind_mount_of_the_root_disk_is_the_root_disk(tmp_path):
    table = mounted({"/": ("254:0", "/dev/vda"), tmp_path: ("254:0", "/dev/vda")})
    assert filesystems.describe_path(str(tmp_path), table)["system"] is True


def test_connections_are_not_listening_sockets():
    head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
    row = "   {}: {} 00000000:0000 {} 00000000:00000000 00:00000000 00000000     0        0 {} 1\n"
    table = head + row.format(0, "0100007F:2384", "0A", 1681) + row.format(1, "0:1", "01", 7)
    assert list(listeners.listening_sockets(table)) == [("127.0.0.1", 9092, "1681")]


@pytest.mark.parametrize(
    ("encoded", "address"),
    [
        ("00000000", "0.0.0.0"),
        ("0100007F", "127.0.0.1"),
        ("00000000000000000000000000000000", "::"),
        ("00000000000000000000000001000000", "::1"),
        ("0000000000000000FFFF00000100007F", "127.0.0.1"),
    ],
)
def test_addresses_are_decoded_from_the_kernel_format(encoded, address):
    row = f"0: {encoded}:0050 0:0 0A 0:0 0:0 0 0 0 5 1"
    assert list(listeners.listening_sockets("head\n" + row)) == [(address, 80, "5")]


def test_own_socket_is_found_in_proc():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        found = list(listeners.listening_sockets(procfs.read("/proc/net/tcp")))
        owners = listeners.socket_owners()
        inode = next(inode for address, at, inode in found if at == port)
        assert owners[inode][0].startswith(("python", "pytest"))


@pytest.mark.parametrize(
    ("cgroup", "container"),
    [
        (f"12:memory:/docker/{OWN}\n1:name=systemd:/docker/{OWN}\n", OWN),
        (f"0::/system.slice/docker-{OWN}.scope\n", OWN),
        ("0::/system.slice/ssh.service\n", None),
        ("12:memory:/\n", None),
    ],
)
def test_container_of_a_process_is_read_from_its_cgroup(cgroup, container):
    assert container_processes.container_id(cgroup) == container


CONTAINERS = [
    {"Id": OWN, "Names": ["/prod-kafka1"], "Labels": {"kafka-metal.cluster": "prod"}, "Ports": []},
    {
        "Id": ALIEN,
        "Names": ["/web"],
        "Labels": {},
        "Ports": [{"PrivatePort": 80, "PublicPort": 8080, "Type": "tcp"}, {"PrivatePort": 1}],
    },
]


def test_socket_has_the_name_and_cluster_of_its_container():
    sockets = [("0.0.0.0", 9092, "1"), ("0.0.0.0", 8080, "2"), ("::", 22, "3"), ("::", 5, "4")]
    owners = {"1": ("java", OWN), "2": ("docker-proxy", None), "3": ("sshd", None)}
    found = listeners.listeners(sockets, owners, CONTAINERS)
    assert [(f["port"], f["process"], f["container"], f["cluster"]) for f in found] == [
        (9092, "java", "prod-kafka1", "prod"),
        (8080, "docker-proxy", "web", None),
        (22, "sshd", None, None),
        (5, None, None, None),
    ]


def test_container_of_another_engine_is_identified_by_its_id():
    found = listeners.listeners([("::", 1, "1")], {"1": ("java", "c" * 64)}, CONTAINERS)
    assert found[0]["container"] == "c" * 64
    assert found[0]["cluster"] is None


def test_without_an_engine_containers_are_found_by_their_processes(tmp_path, monkeypatch):
    labels = {container_labels.CLUSTER: "local"}
    found = [{"Id": "c" * 64, "Names": ["/local-kafka1"], "Labels": labels, "State": "running"}]
    monkeypatch.setattr(container_processes, "find_containers", lambda: found)
    no_socket = str(tmp_path / "nothing.sock")
    assert container_list.list_running_containers(no_socket) == found
    assert container_list.list_cluster_containers(no_socket, "local") == found
    assert container_list.list_cluster_containers(no_socket, "other") == []
    (held,) = listeners.listeners([("::", 9092, "1")], {"1": ("java", "c" * 64)}, found)
    assert (held["container"], held["cluster"]) == ("local-kafka1", "local")


class _Unix(HTTPServer):
    address_family = socket.AF_UNIX

    def server_bind(self):
        socket.socket.bind(self.socket, self.server_address)


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps(CONTAINERS if self.path == "/containers/json" else None).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self):
        return "a unix socket"

    def log_message(self, *arguments):
        pass


def test_containers_are_read_from_the_engine(tmp_path):
    path = str(tmp_path / "engine.sock")
    with _Unix(path, _Handler) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        assert container_list.list_running_containers(path) == CONTAINERS
