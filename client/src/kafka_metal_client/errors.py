"""The one error that the command line prints instead of a traceback."""


class ClientError(Exception):
    """A wish that cannot be met; the text names the object, the wish and the obstacle."""
