"""Ends of the source's topics, up to which the lag of a long batch is counted."""

from collections.abc import Callable, Iterable, Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from kafka_metal_declarations.model import Site
from kafka_metal_pipeline import brokers
from kafka_metal_pipeline.brokers import Brokers, Topic, TopicWatch

TOPICS = {"in": Topic("id", 2)}


class Properties(dict[Any, Any]):
    """A fake of Java's maps."""

    setProperty = put = dict.__setitem__


class Admin:
    """A fake of Kafka's admin client; a partition that is not in ``ends`` has no leader."""

    def __init__(self, ends: Mapping[tuple[str, int], int]) -> None:
        self.ends = ends
        self.asked: Any = None

    def listOffsets(self, wanted: Any, options: Any) -> Any:
        self.asked = (dict(wanted), options)
        return SimpleNamespace(
            partitionResult=lambda place: SimpleNamespace(get=self.future(place))
        )

    def future(self, place: tuple[str, int]) -> Callable[[], Any]:
        def get() -> Any:
            end = self.ends[place]
            return SimpleNamespace(offset=lambda: end)

        return get


def connected(admin: Admin) -> Brokers:
    clients = SimpleNamespace(
        AdminClient=SimpleNamespace(create=lambda _options: admin),
        OffsetSpec=SimpleNamespace(latest=lambda: "latest"),
        ListOffsetsOptions=lambda level: level,
    )
    common = SimpleNamespace(
        TopicPartition=lambda topic, number: (topic, number),
        IsolationLevel=SimpleNamespace(READ_COMMITTED="committed"),
    )
    kafka = SimpleNamespace(clients=SimpleNamespace(admin=clients), common=common)
    util = SimpleNamespace(Properties=Properties, HashMap=Properties)
    jvm = SimpleNamespace(
        org=SimpleNamespace(apache=SimpleNamespace(kafka=kafka)),
        java=SimpleNamespace(util=util),
    )
    session: Any = SimpleNamespace(_jvm=jvm)
    return Brokers(session, Site(bootstrap=("broker:9092",)))


def test_ends_are_those_of_committed_records_of_all_partitions() -> None:
    admin = Admin({("in", 0): 30, ("in", 1): 5})
    assert connected(admin).ends(TOPICS) == {("in", "0"): 30, ("in", "1"): 5}
    assert admin.asked == ({("in", 0): "latest", ("in", 1): "latest"}, "committed")


def test_without_the_end_of_a_partition_none_is_known() -> None:
    assert connected(Admin({("in", 0): 30})).ends(TOPICS) == {}


class Source:
    """A fake of Brokers."""

    def __init__(self) -> None:
        self.error: Exception | None = None

    def topics(self, _names: Iterable[str]) -> dict[str, Topic]:
        if self.error:
            raise self.error
        return TOPICS

    def ends(self, topics: Mapping[str, Topic]) -> dict[tuple[str, str], int]:
        return {(name, "0"): 30 for name in topics}


def test_ends_are_read_only_while_they_are_needed(
    monkeypatch: pytest.MonkeyPatch, eventually: Callable[[Callable[[], bool]], None]
) -> None:
    monkeypatch.setattr(brokers, "WATCH_S", 0.01)
    source: Any = Source()
    watch = TopicWatch(source, ["in"])
    ends = {("in", "0"): 30}
    try:
        assert watch.ends == {}
        watch.reads_ends = True
        eventually(lambda: watch.ends == ends)
        source.error = OSError("no broker responds")
        eventually(lambda: watch.ends == {})
        source.error = None
        eventually(lambda: watch.ends == ends)
        watch.reads_ends = False
        eventually(lambda: watch.ends == {})
    finally:
        watch.stop()
