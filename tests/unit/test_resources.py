"""All kinds of content over one connection: validated together, then applied in order."""

import contextlib

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._common.errors import SpecError
from ansible_collections.metal.kafka.plugins.module_utils._content import resources


class Record:
    """Fake kinds that record their calls; ``unchanged`` kinds have no steps."""

    def __init__(self, blockers=(), unchanged=()):
        self.done = []
        self.blockers, self.unchanged = blockers, unchanged

    def kind(self, name):
        def apply(store, specs, dry):
            if name in self.blockers:
                raise SpecError([f"{name}: no"])
            self.done.append((name, dry))
            return {"steps": [] if name in self.unchanged else [name]}

        return resources.Kind({}, dict, apply)


@pytest.fixture
def apply_content(monkeypatch):
    def run(record, dry=False, kinds=tuple(resources.KINDS)):
        class OfflineConnection(contextlib.nullcontext):
            """A connection that sends no requests."""

        known = {name: record.kind(name) for name in ("users", "acls", "quotas", "topics")}
        monkeypatch.setattr(resources, "AllContentConnection", lambda *_: OfflineConnection())
        monkeypatch.setattr(resources, "KINDS", known)
        return resources.apply(["kafka1:9092"], {}, 1, {name: {} for name in kinds}, dry)

    return run


def test_users_and_acls_come_before_topics():
    assert list(resources.KINDS) == ["users", "acls", "quotas", "topics"]


def test_every_kind_is_validated_before_the_first_change(apply_content):
    record = Record()
    apply_content(record, kinds=("topics", "users"))
    assert record.done == [("users", True), ("topics", True), ("users", False), ("topics", False)]


def test_single_kind_is_applied_once(apply_content):
    record = Record()
    apply_content(record, kinds=("topics",))
    assert record.done == [("topics", False)]


def test_errors_of_all_kinds_are_reported_together(apply_content):
    record = Record(blockers=("acls", "topics"))
    with pytest.raises(SpecError) as failure:
        apply_content(record)
    assert failure.value.messages == ["acls: no", "topics: no"]
    assert all(dry for _, dry in record.done)


def test_unchanged_kinds_are_read_once(apply_content):
    record = Record(unchanged=("users", "quotas"))
    apply_content(record)
    assert [name for name, dry in record.done if not dry] == ["acls", "topics"]


def test_dry_run_changes_nothing(apply_content):
    record = Record()
    assert apply_content(record, dry=True)["topics"] == {"steps": ["topics"]}
    assert all(dry for _, dry in record.done)
