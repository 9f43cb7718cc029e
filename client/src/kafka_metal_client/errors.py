"""The error that the command line prints without a traceback."""

from kafka_metal_client.terminal import escape_unprintable


class ClientError(Exception):
    """A request that cannot be fulfilled; the text names the object, what was found and allowed."""

    def __init__(self, *lines: str) -> None:
        """Each text is one line, whatever names it contains."""
        super().__init__("\n".join(map(escape_unprintable, lines)))
