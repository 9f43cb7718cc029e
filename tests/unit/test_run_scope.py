"""What a run refuses before it contacts a host."""

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.run_scope import (
    Scope,
    ScopeError,
)

GROUPS = {"all": ["m1"], "metal": ["m1"], "kafka": ["m1"], "ungrouped": []}


def refusal(groups=GROUPS, limit=None, clusters=("prod", "prod"), names=(), **options):
    scope = Scope(groups, limit, clusters, names)
    with pytest.raises(ScopeError) as raised:
        scope.cluster(**{"whole": False, "brokers": False} | options)
    return str(raised.value)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"limit": "m1", "whole": True}, "--limit: found m1; allowed: none, because the result"),
        ({"groups": {"all": [], "ungrouped": []}}, "the inventory has no hosts, nothing was done"),
        (
            {"groups": {"all": ["m1"], "kafka": ["m1"], "ungrouped": []}},
            "no hosts in group metal, which are the machines; its groups: kafka. Nothing was done",
        ),
        (
            {"groups": {"all": ["m1"], "ungrouped": ["m1"]}},
            "its groups: none. Nothing was done",
        ),
        (
            {"groups": GROUPS | {"kafka": []}, "brokers": True},
            "the inventory has no hosts in group kafka, nothing was read",
        ),
        ({"clusters": ["a", "b", "a"]}, "hosts of this run have clusters a, b (cluster_name)"),
        ({"clusters": [""]}, "cluster_name: found none; allowed: a name"),
        ({"names": ["security_closing"]}, "nothing was touched: security_closing: found a"),
    ],
)
def test_refused_runs(options, text):
    assert text in refusal(**options)


def test_the_first_reason_is_that_of_the_limit():
    assert "--limit" in refusal(groups={}, limit="m1", whole=True)


@pytest.mark.parametrize(("limit", "kafka"), [("m1", ["m1"]), (None, [])])
def test_runs_on_one_cluster(limit, kafka):
    scope = Scope(GROUPS | {"kafka": kafka}, limit, ["prod", "prod"], ["cluster_name"])

    assert scope.cluster(whole=False, brokers=False) == "prod"
