"""The one error that the command line prints instead of a traceback."""


class ClientError(Exception):
    """A spec that cannot be met; the text names the object, the spec and the blocker."""
