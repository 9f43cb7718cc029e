"""What a ZooKeeper server says of itself; asked without the project's own modules, which are
under test here."""

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
    # Its names are tested elsewhere: a node is asked here at an address of its own.
    tls.check_hostname = False
    tls.load_cert_chain(access.folder / "operator.pem")
    return tls.wrap_socket(plain)


def mode(server: Instance) -> str:
    """leader, follower or standalone; empty while it does not serve."""
    try:
        with _connection(server) as connection:
            connection.sendall(b"srvr")
            answer = b"".join(iter(lambda: connection.recv(4096), b"")).decode()
    except OSError:
        return ""
    lines = dict(line.split(": ", 1) for line in answer.splitlines() if ": " in line)
    return lines.get("Mode", "")


def leader(servers: dict[int, Instance], size: int | None = None) -> int:
    """Id of the leader of a quorum in which ``size`` servers take part (default: all of them).

    Raises NotYet while there is none.
    """
    modes = {server: mode(instance) for server, instance in servers.items()}
    leaders = [server for server, what in modes.items() if what == "leader"]
    followers = [server for server, what in modes.items() if what == "follower"]
    if len(leaders) != 1 or len(followers) < (size or len(servers)) - 1:
        raise NotYet(f"modes of the servers: {modes}")
    return leaders[0]
