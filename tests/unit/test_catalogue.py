"""The catalogue: each kind of service has a file in its role."""

import re
from pathlib import Path

import pytest
import yaml
from ansible_collections.metal.kafka.plugins.plugin_utils._catalogue import SERVICES
from ansible_collections.metal.kafka.plugins.plugin_utils._catalogue.reading import (
    CatalogueError,
    catalogue,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._site.instances import (
    CONDITIONS,
    is_fact_true,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._site.inventory import Inventory

GATEWAY = {"kind": "gateway", "instance": "gateway{gateway_id}", "after": ["base"]}


def written(folder: Path, **kinds: object) -> Path:
    """Create a collection with files of these kinds, all in one role."""
    for name, content in kinds.items():
        file = folder / f"roles/some/meta/services/{name}.yml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(yaml.safe_dump(content))
    return folder


def test_kinds_are_in_start_order():
    kinds = [service.kind for service in SERVICES]
    assert len(kinds) >= 7
    for service in SERVICES:
        assert all(kinds.index(each) < kinds.index(service.kind) for each in service.after)


def test_conditions_of_kinds_and_certificates_exist():
    parts = (each for service in SERVICES for each in (service, *service.certificates))
    assert {each.where for each in parts} - {""} == set(CONDITIONS)


def test_additional_file_is_an_additional_kind(tmp_path):
    base, gateway = catalogue(written(tmp_path, gateway=GATEWAY, base={"kind": "base"}))
    assert (base.kind, gateway.kind) == ("base", "gateway")
    assert (gateway.role, gateway.group) == ("some", "gateway")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"kind": "other"}, "gateway.yml: kind: found 'other'; allowed: gateway"),
        ({**GATEWAY, "port": 1}, "gateway.yml: found port; allowed: accounts, address, after"),
        ({**GATEWAY, "after": "base"}, "gateway.yml: after: found 'base'; allowed: a list"),
        ({**GATEWAY, "heap": ["4g"]}, "gateway.yml: heap: found ['4g']; allowed: one value"),
        ({**GATEWAY, "after": ["none"]}, "gateway: after: found none; allowed: existing kinds"),
        ({**GATEWAY, "after": ["gateway"]}, "after: gateway starts after gateway"),
        ([], "gateway.yml: found no mapping"),
        (
            {**GATEWAY, "callers": [{"grup": "x"}]},
            "gateway.yml: callers: found grup; allowed: group",
        ),
        ({**GATEWAY, "users": [{"service": "gateway"}]}, "gateway.yml: users: has no uid"),
        (
            {**GATEWAY, "users": [{"service": "gateway", "uid": 0}]},
            "gateway.yml: users: uid: found 0; allowed: a whole number above 0",
        ),
        ({**GATEWAY, "users": [7]}, "gateway.yml: users: found no mapping"),
        ({**GATEWAY, "ids": [9, 1]}, "gateway.yml: ids: found [9, 1]; allowed: a list of two"),
        ({**GATEWAY, "after": [1]}, "gateway.yml: after: found [1]; allowed: a list of texts"),
        ({**GATEWAY, 5: 1}, "gateway.yml: found 5; allowed: accounts"),
        ({**GATEWAY, "job": "gateway"}, "gateway.yml: job: needs agent, or ports with address"),
        ({**GATEWAY, "heap": {}}, "gateway.yml: heap: found {}; allowed: one value"),
    ],
)
def test_error_names_the_invalid_field(tmp_path, content, message):
    with pytest.raises(CatalogueError, match=re.escape(message)):
        catalogue(written(tmp_path, gateway=content, base={"kind": "base"}))


@pytest.mark.parametrize("text", [b"kind: [", b"\xff\xfe", b"kind: !!int x"])
def test_invalid_yaml_file_is_named(tmp_path, text):
    folder = written(tmp_path, gateway={})
    (folder / "roles/some/meta/services/gateway.yml").write_bytes(text)

    with pytest.raises(CatalogueError, match=r"gateway.yml: found no YAML"):
        catalogue(folder)


def test_kind_belongs_to_one_role(tmp_path):
    folder = written(tmp_path, base={"kind": "base"})
    (folder / "roles/some").rename(folder / "roles/other")
    written(folder, base={"kind": "base"})

    with pytest.raises(CatalogueError, match="role other already has this kind"):
        catalogue(folder)


def test_unknown_fact_is_refused():
    with pytest.raises(CatalogueError, match=r"where: found spark\.wings; allowed: monitoring"):
        is_fact_true(Inventory({}, {}), "spark.wings")
