"""The error that the command line prints without a traceback."""


class ClientError(Exception):
    """A request that cannot be fulfilled; the text names the object, what was found and allowed."""
