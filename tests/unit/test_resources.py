"""All kinds of content over one connection: validated together, then applied in order."""

import contextlib
import types

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


@pytest.mark.parametrize(("check", "expected"), [(True, "report"), (False, "fail")])
def test_refused_steps_are_reported_only_if_nothing_is_applied(monkeypatch, check, expected):
    passed = []
    monkeypatch.setattr(resources.client, "MISSING", "")
    monkeypatch.setattr(
        resources.client_options,
        "full_argument_spec",
        lambda _: {"client_config": {}, "bootstrap_servers": ["kafka1:9092"], "timeout": 1},
    )
    monkeypatch.setattr(resources, "apply", lambda *args: passed.append(args[3]) or {})
    module = types.SimpleNamespace(check_mode=check)
    resources.run(module, {"topics": {"refused_steps": "report"}}, "content")
    assert [given["topics"]["refused_steps"] for given in passed] == [expected]


def test_results_have_the_steps_that_the_cluster_refuses():
    class Cluster:
        """A cluster with one of three brokers."""

        def read_topics(self, names, keys):
            return {}

        def create_topics(self, steps, dry):
            return {step.topic: "larger than available brokers: 1" for step in steps}

        def grow_topics(self, steps, dry):
            return {}

        configure_topics = delete_topics = grow_topics

    known = resources.KINDS["topics"]
    declared = {"topics": {"a": {"partitions": 1, "replication_factor": 3}}}
    arguments = {"absent": [], "confirm_delete": [], "moves": "report", "batch": 50}
    specs = known.read({**declared, **arguments, "unmanaged": True, "refused_steps": "report"})
    found = known.apply(Cluster(), specs, True)
    assert found["created"] == ["a"]
    assert found["refused"] == [
        "create a: 1 partitions, 3 replicas: larger than available brokers: 1"
    ]
