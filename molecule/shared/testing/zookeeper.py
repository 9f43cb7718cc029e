"""State of ZooKeeper servers, read without the project's own modules, which are under test."""

import socket
import ssl

from testing import access
from testing.topology import Instance
from testing.waiting import NotYet

ANSWER_SECONDS = 3


def _connection(server: Instance) -> socket.socket:
    plain = socket.create_connection((server.address, server.port), ANSWER_SECONDS)
    if access.folder is None:
        return plain
    tls = ssl.create_default_context(cafile=access.folder / "ca.pem")
    # Host names are tested elsewhere; nodes are reached here by addresses of their own.
    tls.check_hostname = False
    tls.load_cert_chain(access.folder / "operator.pem")
    return tls.wrap_socket(plain)


def mode(server: Instance) -> str:
    """Return leader, follower or standalone; empty while the server does not serve."""
    try:
        with _connection(server) as connection:
            connection.sendall(b"srvr")
            answer = b"".join(iter(lambda: connection.recv(4096), b"")).decode()
    except OSError:
        return ""
    lines = dict(line.split(": ", 1) for line in answer.splitlines() if ": " in line)
    return lines.get("Mode", "")


def leader(servers: dict[int, Instance], size: int | None = None) -> int:
    """Return the id of the leader of a quorum with ``size`` servers (default: all).

    Raises NotYet while there is none.
    """
    modes = {server: mode(instance) for server, instance in servers.items()}
    leaders = [server for server, state in modes.items() if state == "leader"]
    followers = [server for server, state in modes.items() if state == "follower"]
    if len(leaders) != 1 or len(followers) < (size or len(servers)) - 1:
        raise NotYet(f"modes of the servers: {modes}")
    return leaders[0]
