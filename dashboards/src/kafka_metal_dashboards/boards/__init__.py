"""All dashboards, in the order of the menu."""

from .brokers import BROKERS
from .clients import CONSUMERS, PRODUCERS
from .ensemble import ENSEMBLE
from .machines import DISKS, HOSTS
from .operations import ROLL, WATCH
from .overview import OVERVIEW
from .pipelines import PIPELINES
from .topics import TOPICS

BOARDS = (
    *(OVERVIEW, BROKERS, TOPICS, DISKS, CONSUMERS, PRODUCERS, ENSEMBLE),
    *(HOSTS, PIPELINES, ROLL, WATCH),
)
