"""TLS handshakes in memory, to test certificates with a real client and server."""

import ssl


def server(folder, keystore, *, trusted=None):
    """Return a server context; with ``trusted`` it requires client certificates."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_file(folder, keystore))
    if trusted:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=trusted)
    return context


def client(folder, trusted, *, keystore=None):
    context = ssl.create_default_context(cadata=trusted)
    if keystore:
        context.load_cert_chain(_file(folder, keystore))
    return context


def handshake(client_context, server_context, name):
    """Shake hands and send one byte; ssl.SSLError if either side refuses."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [
        server_context.wrap_bio(to_server, to_client, server_side=True),
        client_context.wrap_bio(to_client, to_server, server_hostname=name),
    ]
    waiting = set(ends)
    while waiting:
        for end in tuple(waiting):
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
            waiting.discard(end)
    # With TLS 1.3 a client's certificate is refused only after the handshake.
    ends[0].write(b"x")
    return ends[1].read(1)


def named(value):
    """Return an id for pytest without keys, which differ in each process."""
    return "pem" if isinstance(value, str | bytes) and len(value) > 100 else None


def _file(folder, text):
    path = folder / f"{abs(hash(text))}.pem"
    path.write_text(text)
    return path
