# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The one place that speaks to Kafka: bulk questions and bulk changes over kafka-python.

Every answer leaves this file as a plain value of ``state`` or ``topic``.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

try:
    from kafka.admin import ConfigResource, KafkaAdminClient, OffsetSpec
    from kafka.errors import KafkaError, for_code
    from kafka.protocol.metadata import MetadataRequest
    from kafka.structs import TopicPartition

    MISSING = ""
except ImportError as error:  # The module says which library is missing, and where.
    MISSING = str(error)

from .endpoint import ClusterError, words_of
from .login import LoginError, knock
from .state import NOBODY, Broker, Cluster, LogDir, Partition
from .topic import Configure, Create, Delete, Grow, Topic, Value, Wish, batches, plan
from .waiting import Deadline, side_by_side

MIN_ISR = "min.insync.replicas"
TOPIC_EXISTS = 36
UNKNOWN_TOPIC = 3
REQUEST_TIMED_OUT = 7
# Changes of keys and partition counts in one request; the broker does them one by one.
CHANGES = 100
# Partitions created in one request for each topic in it, on average.
PARTITIONS_PER_TOPIC = 4
PAUSE = 0.1
ELECTION_PAUSE = 1.0
# What a partition may wait for its new leader because others get theirs with it.
BATCH_SECONDS = 0.5


class LastWords(logging.Handler):
    """Keeps the library's log away from a module's output, and its last complaint for errors."""

    def __init__(self) -> None:
        """Listen to warnings and worse."""
        super().__init__(logging.WARNING)
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Remember the complaint."""
        self.text = record.getMessage()


def quiet() -> LastWords:
    """Take over kafka-python's log."""
    words = LastWords()
    logger = logging.getLogger("kafka")
    logger.handlers = [words]
    logger.propagate = False
    logger.setLevel(logging.WARNING)
    return words


class Connection:
    """A connection to a cluster that never waits longer than its deadline.

    Raises ClusterError when no bootstrap server answers within ``timeout`` seconds.
    """

    def __init__(self, servers: Sequence[str], config: Mapping[str, Any], timeout: float) -> None:
        """Find a broker that answers."""
        self.words = quiet()
        self.deadline = Deadline(timeout)
        self.config = dict(config)
        # A broker that hangs must leave time to ask another.
        self.patience = timeout / 4
        self.admin = self.connect(self.listening(servers))

    def __enter__(self) -> Connection:
        """Nothing more to open."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close without waiting for a broker that hangs."""
        side_by_side({"close": self.admin.close}, Deadline(1))

    def listening(self, servers: Sequence[str]) -> list[str]:
        """Servers that let us in, so that others cost no time below.

        The library would try a wrong password, or a certificate that is not trusted, until time is
        up, and would not say what it was.
        """
        if not servers:
            raise ClusterError("no bootstrap server is given")
        if self.config.get("proxy_url"):
            return list(servers)
        questions = {
            server: partial(knock, server, self.config, self.patience) for server in servers
        }
        answers = side_by_side(questions, Deadline(self.patience))
        for answer in answers.values():
            if isinstance(answer, ClusterError):
                raise answer
        found = [server for server in servers if answers[server] is None]
        if not found:
            reasons = "; ".join(f"{server}: {words_of(answers[server])}" for server in servers)
            closed = any(isinstance(answer, LoginError) for answer in answers.values())
            what = "lets this client in" if closed else "listens"
            raise ClusterError(f"no broker {what}: {reasons}")
        return found

    def connect(self, servers: Sequence[str]) -> Any:
        """A client of the first server that answers as a broker."""
        reasons = []
        for position, server in enumerate(servers):
            share = self.deadline.left() / (len(servers) - position)
            self.words.text = ""
            try:
                return KafkaAdminClient(
                    **{
                        "bootstrap_servers": [server],
                        "client_id": "kafka-metal",
                        "bootstrap_timeout_ms": max(1, int(share * 1000)),
                        "request_timeout_ms": max(1, int(self.patience * 1000)),
                        "reconnect_backoff_max_ms": 500,
                        **self.config,
                    }
                )
            except (KafkaError, OSError, ValueError) as error:
                reasons.append(f"{server}: {self.words.text or words_of(error)}")
        raise ClusterError(f"no broker answers: {'; '.join(reasons)}")

    def ask(self, what: str, question: Callable[..., Any], *args: Any, **keys: Any) -> Any:
        """The answer to ``question``, asked again while brokers change places.

        Raises ClusterError, which names ``what`` was asked for, at the deadline or at a refusal.
        """
        while True:
            try:
                return question(*args, **keys)
            except KafkaError as error:
                if not error.retriable or self.deadline.passed():
                    raise ClusterError(f"{what}: {words_of(error)}") from error
            except RuntimeError as error:
                # What kafka-python raises while the controller moves.
                if self.deadline.passed():
                    raise ClusterError(f"{what}: {words_of(error)}") from error
            # Metadata of a client is refreshed in steps of its back-off; asking faster is no use.
            time.sleep(PAUSE)

    # -- the cluster ---------------------------------------------------------------------------

    def read_cluster(self) -> Cluster:
        """The cluster as it is now, also when some of its brokers do not answer."""
        known = self.known_brokers()
        # First every broker on its own: afterwards the client has connections to those that live,
        # and prefers them for the questions that any broker can answer.
        failed, silent = self.read_log_dirs(known)
        if known and len(silent) == len(known):
            reasons = "; ".join(f"broker {broker}: {silent[broker]}" for broker in sorted(silent))
            raise ClusterError(f"no broker answers: {reasons}")
        found = self.ask("description of the cluster", self.admin.describe_cluster)
        answers = side_by_side(
            {
                "topics": self.describe_topics,
                "reassignments": partial(self.read_reassignments, found["controller_id"], silent),
            },
            self.deadline,
        )
        if isinstance(answers["topics"], Exception):
            raise ClusterError(words_of(answers["topics"]))
        moving: Any = answers["reassignments"]
        unread = []
        if isinstance(moving, Exception):
            unread.append(f"partition reassignments are unknown: {words_of(moving)}")
            moving = {}
        partitions = [part for topic in answers["topics"] for part in partitions_of(topic, moving)]
        min_isr = self.read_min_isr(sorted({part.topic for part in partitions}))
        registered = {broker["broker_id"] for broker in found["brokers"]}
        return Cluster(
            id=found["cluster_id"] or "",
            controller=found["controller_id"],
            brokers=tuple(
                Broker(broker["broker_id"], broker["host"], broker["port"], broker["rack"])
                for broker in found["brokers"]
            ),
            partitions=tuple(part for part in partitions if part.topic in min_isr),
            min_isr=min_isr,
            failed_log_dirs=tuple(failed),
            reassignments=tuple(sorted(f"{topic}-{number}" for topic, number in moving)),
            silent={broker: silent[broker] for broker in sorted(silent) if broker in registered},
            unread=tuple(unread),
        )

    def known_brokers(self) -> list[int]:
        """Ids of the brokers that were registered when the connection was made."""
        return sorted(broker.node_id for broker in self.admin._manager.cluster.brokers())

    def describe_topics(self, names: list[str] | None = None) -> list[dict[str, Any]]:
        """Metadata of the topics that exist, in one request, ordered by name."""
        topics = self.ask("metadata of topics", self.admin.describe_topics, names)
        found = (topic for topic in topics if topic["error_code"] == 0)
        return sorted(found, key=lambda topic: str(topic["name"]))

    def read_log_dirs(self, brokers: Iterable[int]) -> tuple[list[LogDir], dict[int, str]]:
        """Failed log dirs, and the brokers that did not answer with the reason."""
        questions = {broker: partial(self.log_dirs_of, broker) for broker in brokers}
        answers = side_by_side(questions, Deadline(min(self.patience, self.deadline.left())))
        failed, silent = [], {}
        for broker, answer in sorted(answers.items()):
            if isinstance(answer, Exception):
                silent[broker] = words_of(answer)
            else:
                failed += [
                    LogDir(broker, found["log_dir"], for_code(found["error_code"]).__name__)
                    for found in answer
                    if found["error_code"]
                ]
        return failed, silent

    def log_dirs_of(self, broker: int) -> list[dict[str, Any]]:
        """The log dirs of one broker without their partitions."""
        found: list[dict[str, Any]] = self.admin.describe_log_dirs({}, [broker])[0]["log_dirs"]
        return found

    def read_reassignments(
        self, controller: int, silent: Mapping[int, str]
    ) -> dict[tuple[str, int], dict[str, Any]]:
        """Partitions that are being reassigned, by topic and number; raises ClusterError."""
        if controller == NOBODY:
            return {}
        if controller in silent:
            raise ClusterError(f"the controller, broker {controller}, does not answer")
        return dict(self.ask("partition reassignments", self.admin.list_partition_reassignments))

    def read_min_isr(self, topics: Sequence[str]) -> dict[str, int]:
        """min.insync.replicas in force for each topic, in one request."""
        if not topics:
            return {}
        resources = [ConfigResource("topic", name, [MIN_ISR]) for name in topics]
        found = self.ask(
            f"{MIN_ISR} of topics", self.admin.describe_configs, resources, config_filter="all"
        )
        return {
            name: int(keys[MIN_ISR]["value"])
            for name, keys in found.get("topic", {}).items()
            if MIN_ISR in keys
        }

    def read_lag(self, cluster: Cluster) -> int | None:
        """Bytes that replicas out of sync still have to fetch; None when nobody can tell.

        The difference of what leader and follower hold on their disks, so deleted segments blur it.
        """
        behind = [part for part in cluster.partitions if part.missing and not part.offline]
        wanted: dict[str, list[int]] = {}
        for part in behind:
            wanted.setdefault(part.topic, []).append(part.id)
        if not behind:
            return 0
        brokers = {part.leader for part in behind}.union(*(part.missing for part in behind))
        answers = side_by_side(
            {
                broker: partial(self.sizes_of, broker, wanted)
                for broker in brokers & cluster.broker_ids()
            },
            Deadline(min(self.patience, self.deadline.left())),
        )
        sizes = {b: found for b, found in answers.items() if not isinstance(found, Exception)}
        known = [
            max(0, sizes[part.leader][part.name] - sizes[broker][part.name])
            for part in behind
            for broker in part.missing
            if part.name in sizes.get(part.leader, {}) and part.name in sizes.get(broker, {})
        ]
        return sum(known) if known else None

    def sizes_of(self, broker: int, wanted: Mapping[str, list[int]]) -> dict[str, int]:
        """Bytes of partitions on one broker, by name."""
        answer = self.admin.describe_log_dirs(wanted, [broker])[0]
        return {
            f"{topic['name']}-{part['partition_index']}": part["partition_size"]
            for log_dir in answer["log_dirs"]
            for topic in log_dir["topics"]
            for part in topic["partitions"]
            if not part["is_future_key"]
        }

    def server_timeout_ms(self) -> int:
        """How long a broker may take, less than this side waits for its answer."""
        return max(1, int(self.patience * 800))

    def elect_preferred(self, cluster: Cluster) -> Cluster:
        """Give leadership back to first replicas that are in sync; the cluster once they lead.

        Waits until the deadline; what could not be elected by then is as it was.
        """
        if not (parts := electable(cluster)):
            return cluster
        self.elect(parts)
        while True:
            cluster = self.read_cluster()
            if not electable(cluster) or self.deadline.left() < self.patience:
                return cluster
            # Clients follow the leaders meanwhile: brokers have better to do than to answer this.
            time.sleep(ELECTION_PAUSE)

    def elect(self, parts: list[Partition], unclean: bool = False) -> None:
        """Have leaders elected, in batches; whether they lead is told by the next look.

        The controller answers before a new leader has begun, and a leader begins with two synced
        writes for each partition, of which nobody is served meanwhile. So a batch is served before
        the next one is elected, and as large as the one before it allows: small for a broker that
        has just started, or has slow disks.
        """
        rest, size, served = warm_up_first(parts), 1, True
        while rest:
            batch, rest = rest[:size], rest[size:]
            began = time.monotonic()
            wanted: dict[str, list[int]] = {}
            for part in batch:
                wanted.setdefault(part.topic, []).append(part.id)
            self.ask(
                f"election of {'unclean' if unclean else 'preferred'} leaders",
                self.admin.elect_leaders,
                int(unclean),
                wanted,
                timeout_ms=self.server_timeout_ms(),
                raise_errors=False,
            )
            # A broker that does not come to lead is waited for once, not for each batch.
            served = served and self.await_leaders(batch)
            size = next_batch(size, time.monotonic() - began) if served else len(rest)

    def await_leaders(self, parts: list[Partition]) -> bool:
        """Whether new leaders serve ``parts`` within the patience for one question."""
        wanted = {TopicPartition(part.topic, part.id): OffsetSpec.LATEST for part in parts}
        try:
            # Asks again while whom it asks does not lead.
            self.admin.list_partition_offsets(wanted, timeout_ms=self.server_timeout_ms())
        except (KafkaError, RuntimeError):
            return False
        return True

    # -- who uses it ---------------------------------------------------------------------------

    def read_end_offsets(self) -> dict[str, int]:
        """End offsets of every topic, summed over those partitions that have a leader."""
        specs = {
            TopicPartition(topic["name"], part["partition_index"]): OffsetSpec.LATEST
            for topic in self.describe_topics()
            for part in topic["partitions"]
            if part["leader_id"] != NOBODY
        }
        if not specs:
            return {}
        found = self.ask("end offsets", self.admin.list_partition_offsets, specs)
        totals: dict[str, int] = {}
        for partition, answer in found.items():
            totals[partition.topic] = totals.get(partition.topic, 0) + int(answer.offset)
        return totals

    def read_group_states(self) -> dict[str, str]:
        """State of every consumer group."""
        groups = self.ask("consumer groups", self.admin.list_groups)
        return {group["group_id"]: str(group["group_state"]) for group in groups}

    # -- topics --------------------------------------------------------------------------------

    def read_topics(
        self, names: Iterable[str], keys: Collection[str] | None = None
    ) -> dict[str, Topic]:
        """Those of the topics that exist, with the keys that are set on them: two requests.

        With ``keys`` no others are asked for: a thousand topics have 34,000 of them.
        """
        # Asking for all and choosing here: a request that names an unknown topic reports errors.
        wanted = set(names)
        described = {
            topic["name"]: topic for topic in self.describe_topics() if topic["name"] in wanted
        }
        if not described:
            return {}
        chosen = None if keys is None else sorted(keys)
        resources = [ConfigResource("topic", name, chosen) for name in described]
        configs = self.ask("keys of topics", self.admin.describe_configs, resources)["topic"]
        return {
            name: Topic(
                name=name,
                partitions=len(topic["partitions"]),
                replicas=frozenset(len(part["replica_nodes"]) for part in topic["partitions"]),
                placement=placement_of(topic["partitions"]),
                config={
                    key: Value(entry["value"] or "", entry.get("config_type", "STRING"))
                    for key, entry in configs.get(name, {}).items()
                    if entry["config_source"] == "DYNAMIC_TOPIC_CONFIG"
                },
            )
            for name, topic in described.items()
        }


def partitions_of(
    topic: Mapping[str, Any], moving: Mapping[tuple[str, int], Mapping[str, Any]]
) -> list[Partition]:
    """The partitions of a topic as Kafka describes it, in order."""
    return sorted(
        (
            Partition(
                topic=topic["name"],
                id=part["partition_index"],
                leader=part["leader_id"],
                replicas=tuple(part["replica_nodes"]),
                isr=tuple(part["isr_nodes"]),
                adding=tuple(order.get("adding_replicas", ())),
                removing=tuple(order.get("removing_replicas", ())),
            )
            for part in topic["partitions"]
            for order in (moving.get((topic["name"], part["partition_index"]), {}),)
        ),
        key=lambda part: part.id,
    )


def placement_of(parts: Iterable[Mapping[str, Any]]) -> tuple[tuple[int, ...], ...]:
    """Brokers of each partition, in the order of partitions."""
    ordered = sorted(parts, key=lambda part: int(part["partition_index"]))
    return tuple(tuple(part["replica_nodes"]) for part in ordered)


def warm_up_first(parts: Iterable[Partition]) -> list[Partition]:
    """Partitions in the order of their elections: Kafka's own topics, then by name.

    A broker that has just started takes long for what it does the first time; whoever writes to a
    topic of people waits less.
    """
    return sorted(parts, key=lambda part: (not part.topic.startswith("__"), part.topic, part.id))


def next_batch(size: int, took: float) -> int:
    """How many leaders to elect at once after ``size`` took so many seconds to be served.

    At most four times as many, and so many that they take half a second, as far as that tells.
    """
    return max(1, int(size * min(4.0, BATCH_SECONDS / max(took, 0.001))))


def electable(cluster: Cluster) -> list[Partition]:
    """Partitions whose first replica does not lead and could."""
    return [
        part for part in cluster.partitions if not part.preferred and part.replicas[0] in part.isr
    ]


class TopicConnection(Connection):
    """A connection that changes topics; ``timeout`` is the patience for one request.

    ``batch`` is how many topics are created by one request.
    """

    def __init__(
        self, servers: Sequence[str], config: Mapping[str, Any], timeout: float, batch: int = 50
    ) -> None:
        """Find a broker that answers."""
        super().__init__(servers, config, timeout)
        self.timeout = timeout
        self.batch = batch

    def create_topics(self, steps: Sequence[Create], dry: bool) -> dict[str, str]:
        """Create topics batch by batch and wait for their leaders; obstacles by topic."""
        obstacles: dict[str, str] = {}
        for portion in batches(steps, self.batch, self.batch * PARTITIONS_PER_TOPIC):
            self.deadline = Deadline(self.timeout)
            wishes = {
                step.topic: {
                    **numbers_of(step.wish),
                    "configs": dict(step.wish.config),
                }
                for step in portion
            }
            answer = self.ask(
                "creation of topics",
                self.admin.create_topics,
                wishes,
                timeout_ms=self.server_timeout_ms(),
                validate_only=dry,
                raise_errors=False,
            )
            refused = refusals(answer["topics"])
            obstacles |= refused
            if not dry:
                counts = {step.topic: step.wish.partitions or 1 for step in portion}
                obstacles |= self.wait_for_leaders(counts, refused)
        return obstacles

    def grow_topics(self, steps: Sequence[Grow], dry: bool) -> dict[str, str]:
        """Add partitions and wait for their leaders; obstacles by topic."""
        obstacles: dict[str, str] = {}
        for portion in portions(steps):
            self.deadline = Deadline(self.timeout)
            counts = {step.topic: step.count for step in portion}
            wanted = {
                step.topic: {"count": step.count, "assignments": [list(b) for b in step.placement]}
                if step.placement
                else step.count
                for step in portion
            }
            answer = self.ask(
                "addition of partitions",
                self.admin.create_partitions,
                wanted,
                timeout_ms=self.server_timeout_ms(),
                validate_only=dry,
                raise_errors=False,
            )
            refused = refusals(answer.to_dict()["results"])
            obstacles |= refused
            if not dry:
                obstacles |= self.wait_for_leaders(counts, refused)
        return obstacles

    def delete_topics(self, steps: Sequence[Delete], dry: bool) -> dict[str, str]:
        """Delete topics and wait until no broker knows them; obstacles by topic."""
        obstacles: dict[str, str] = {}
        for portion in portions(() if dry else steps):
            self.deadline = Deadline(self.timeout)
            names = [step.topic for step in portion]
            answer = self.ask(
                "deletion of topics",
                self.admin.delete_topics,
                names,
                timeout_ms=self.server_timeout_ms(),
                raise_errors=False,
            )
            obstacles |= refusals(answer["topics"], UNKNOWN_TOPIC)
            obstacles |= self.wait_for_deletion([name for name in names if name not in obstacles])
        return obstacles

    def wait_for_deletion(self, names: list[str]) -> dict[str, str]:
        """Wait until no broker that answers knows these topics; those for which time ran out."""
        waiting = names
        while waiting:
            known = set().union(*self.views(waiting))
            waiting = [name for name in waiting if name in known]
            if not waiting or self.deadline.passed():
                return dict.fromkeys(waiting, f"is still there after {self.timeout:g} s")
            time.sleep(PAUSE)
        return {}

    def configure_topics(self, steps: Sequence[Configure], dry: bool) -> dict[str, str]:
        """Set keys of topics and wait until they are in force; obstacles by topic."""
        obstacles: dict[str, str] = {}
        for portion in portions(steps):
            self.deadline = Deadline(self.timeout)
            answer = self.ask(
                "change of keys",
                self.admin.alter_configs,
                [ConfigResource("topic", step.topic, dict(step.config)) for step in portion],
                validate_only=dry,
                raise_on_unknown=False,
            )
            refused = {
                # kafka-python puts number and name of the error before Kafka's sentence.
                name: said.partition("Error: ")[2] or said
                for name, said in answer.get("topic", {}).items()
                if said != "OK"
            }
            obstacles |= refused
            if not dry:
                obstacles |= self.wait_for_keys(
                    {step.topic: step for step in portion if step.topic not in refused}
                )
        return obstacles

    def wait_for_keys(self, changes: Mapping[str, Configure]) -> dict[str, str]:
        """Wait until the cluster tells the new values; in some metadata modes they take a moment.

        Gives the topics for which time ran out.
        """
        waiting = dict(changes)
        while waiting:
            keys = {key for step in waiting.values() for key in step.config}
            found = self.read_topics(waiting, keys)
            waiting = {
                name: step
                for name, step in waiting.items()
                if plan(found.get(name), Wish(name, config=step.config))
            }
            if not waiting or self.deadline.passed():
                return dict.fromkeys(waiting, f"not in force after {self.timeout:g} s")
            time.sleep(PAUSE)  # As above: brokers learn of it a little later.
        return {}

    def wait_for_leaders(
        self, counts: Mapping[str, int], refused: Mapping[str, str]
    ) -> dict[str, str]:
        """Wait until each topic has its number of partitions, each with a leader.

        Gives the topics for which time ran out, with what was missing at last.
        """
        waiting = {name: count for name, count in counts.items() if name not in refused}
        while waiting:
            leaders = self.leaders(list(waiting))
            waiting = {name: count for name, count in waiting.items() if leaders[name] < count}
            if not waiting or self.deadline.passed():
                return {
                    name: f"{leaders[name]} of {count} partitions have a leader "
                    f"after {self.timeout:g} s"
                    for name, count in waiting.items()
                }
            # Leaders of a batch take seconds; ten looks a second are enough to lose no time.
            time.sleep(PAUSE)
        return {}

    def leaders(self, topics: list[str]) -> dict[str, int]:
        """Partitions with a leader, by topic, as the broker sees it that lags behind most.

        Brokers learn of a topic one after the other, and a client may ask any of them. Those that
        do not answer have no say.
        """
        views = self.views(topics)
        return {
            name: min((leaders_of(view.get(name)) for view in views), default=0) for name in topics
        }

    def views(self, topics: list[str]) -> list[dict[str, dict[str, Any]]]:
        """Topics as each broker has them that answers."""
        answers = side_by_side(
            {broker: partial(self.metadata, broker, topics) for broker in self.known_brokers()},
            Deadline(min(self.patience, self.deadline.left())),
        )
        return [answer for answer in answers.values() if not isinstance(answer, Exception)]

    def metadata(self, broker: int, topics: list[str]) -> dict[str, dict[str, Any]]:
        """Metadata of topics as one broker has it; the client itself asks any broker."""
        wanted = [MetadataRequest.MetadataRequestTopic(name=name) for name in topics]
        request = MetadataRequest(
            topics=wanted,
            allow_auto_topic_creation=False,
            include_cluster_authorized_operations=False,
            include_topic_authorized_operations=False,
        )
        manager = self.admin._manager
        answer = manager.run(manager.send, request, broker).to_dict()
        return {topic["name"]: topic for topic in answer["topics"] if not topic["error_code"]}


def leaders_of(topic: Mapping[str, Any] | None) -> int:
    """Number of partitions with a leader; 0 for a topic that is not there yet."""
    return sum(part["leader_id"] != NOBODY for part in topic["partitions"]) if topic else 0


def numbers_of(wish: Wish) -> dict[str, Any]:
    """What Kafka is told of the partitions of a new topic."""
    if wish.placement:
        return {"assignments": {at: list(brokers) for at, brokers in enumerate(wish.placement)}}
    return {
        "num_partitions": wish.partitions or -1,
        "replication_factor": wish.replication_factor or -1,
    }


def refusals(answers: Iterable[Mapping[str, Any]], reached: int = TOPIC_EXISTS) -> dict[str, str]:
    """Kafka's refusals by topic.

    No refusal is what somebody else has ``reached`` meanwhile (the next look compares it), nor a
    request that takes the broker longer than asked (the wait that follows sees it through).
    """
    return {
        answer["name"]: answer["error_message"] or for_code(answer["error_code"]).__name__
        for answer in answers
        if answer["error_code"] not in (0, reached, REQUEST_TIMED_OUT)
    }


def portions(steps: Sequence[Any]) -> list[Sequence[Any]]:
    """``steps`` in groups that one request can carry."""
    return [steps[start : start + CHANGES] for start in range(0, len(steps), CHANGES)]
