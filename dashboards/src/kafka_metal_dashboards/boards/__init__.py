"""All dashboards, in the order of the menu."""

from .brokers import BROKERS
from .clients import CONSUMERS, PRODUCERS
from .machines import DISKS, HOSTS
from .operations import ROLL, WATCH
from .overview import OVERVIEW
from .pipelines import PIPELINES
from .topics import TOPICS
from .zookeeper import ZOOKEEPER

BOARDS = (
    *(OVERVIEW, BROKERS, TOPICS, DISKS, CONSUMERS, PRODUCERS, ZOOKEEPER),
    *(HOSTS, PIPELINES, ROLL, WATCH),
)
