"""All kinds of content over one connection: told together, then brought about in turn."""

import contextlib

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._common.errors import SpecError
from ansible_collections.metal.kafka.plugins.module_utils._content import resources


class Record:
    """Kinds that write down what they are asked; ``settled`` ones have no steps."""

    def __init__(self, blockers=(), settled=()):
        self.done = []
        self.blockers, self.settled = blockers, settled

    def kind(self, name):
        def apply(store, specs, dry):
            if name in self.blockers:
                raise SpecError([f"{name}: no"])
            self.done.append((name, dry))
            return {"steps": [] if name in self.settled else [name]}

        return resources.Kind({}, dict, apply)


@pytest.fixture
def bring(monkeypatch):
    def run(record, dry=False, wanted=tuple(resources.KINDS)):
        class Nowhere(contextlib.nullcontext):
            """A connection that sends no requests."""

        known = {name: record.kind(name) for name in ("users", "acls", "quotas", "topics")}
        monkeypatch.setattr(resources, "AllContentConnection", lambda *_: Nowhere())
        monkeypatch.setattr(resources, "KINDS", known)
        return resources.apply(["kafka1:9092"], {}, 1, {name: {} for name in wanted}, dry)

    return run


def test_rights_come_before_what_they_are_for():
    assert list(resources.KINDS) == ["users", "acls", "quotas", "topics"]


def test_every_kind_is_judged_before_the_first_changes(bring):
    record = Record()
    bring(record, wanted=("topics", "users"))
    assert record.done == [("users", True), ("topics", True), ("users", False), ("topics", False)]


def test_one_kind_alone_is_read_and_judged_once(bring):
    record = Record()
    bring(record, wanted=("topics",))
    assert record.done == [("topics", False)]


def test_what_any_kind_refuses_is_told_at_once_and_nothing_changes(bring):
    record = Record(blockers=("acls", "topics"))
    with pytest.raises(SpecError) as told:
        bring(record)
    assert told.value.messages == ["acls: no", "topics: no"]
    assert all(dry for _, dry in record.done)


def test_what_is_as_declared_is_looked_at_once(bring):
    record = Record(settled=("users", "quotas"))
    bring(record)
    assert [name for name, dry in record.done if not dry] == ["acls", "topics"]


def test_a_dry_run_changes_nothing(bring):
    record = Record()
    assert bring(record, dry=True)["topics"] == {"steps": ["topics"]}
    assert all(dry for _, dry in record.done)
