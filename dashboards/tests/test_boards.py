"""A panel says what it shows, asks for what is there, and stands where nobody else does."""

import json
from itertools import combinations
from pathlib import Path

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.metrics_catalogue import (
    queryable,
    series_of,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.monitoring_files import (
    read_records,
    read_series,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.promql import names_of
from kafka_metal_dashboards.__main__ import main
from kafka_metal_dashboards.boards import BOARDS
from kafka_metal_dashboards.grafana import dashboard_of

ROOT = Path(__file__).resolve().parents[2]
KNOWN = queryable(series_of(read_series()).values()) | set(read_records())
PANELS = [(board.name, panel) for board in BOARDS for panel in board.panels]

each_board = pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)


def drawn(board):
    return [panel for panel in dashboard_of(board)["panels"] if panel["type"] != "row"]


@each_board
def test_every_panel_has_a_title_a_unit_and_a_description(board):
    assert drawn(board)
    for panel in drawn(board):
        assert panel["title"]
        assert panel["description"].endswith("."), panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"], panel["title"]


@each_board
def test_every_query_asks_for_series_of_the_catalogue(board):
    unknown = {
        panel.title: names_of(query.promql) - KNOWN
        for panel in board.panels
        for query in panel.queries
        if names_of(query.promql) - KNOWN
    }
    assert unknown == {}


@each_board
def test_every_query_is_of_the_cluster_that_is_looked_at(board):
    for panel in board.panels:
        for query in panel.queries:
            assert 'cluster="$cluster"' in query.promql, panel.title
            assert "{C}" not in query.promql


@each_board
def test_no_panel_covers_another(board):
    taken = [panel["gridPos"] for panel in dashboard_of(board)["panels"]]
    for one, other in combinations(taken, 2):
        apart = (
            one["x"] + one["w"] <= other["x"]
            or other["x"] + other["w"] <= one["x"]
            or one["y"] + one["h"] <= other["y"]
            or other["y"] + other["h"] <= one["y"]
        )
        assert apart, (one, other)
    assert all(place["x"] + place["w"] <= 24 for place in taken)


@each_board
def test_ids_are_unique_and_lines_are_told_apart(board):
    written = dashboard_of(board)
    ids = [panel["id"] for panel in written["panels"]]
    assert len(ids) == len(set(ids))
    for panel in drawn(board):
        references = [target["refId"] for target in panel["targets"]]
        assert len(references) == len(set(references))
        assert panel["datasource"]["uid"] == "$source"


def test_boards_have_names_of_their_own():
    names = [board.name for board in BOARDS]
    assert len(names) == len(set(names)) == 11
    assert len({board.title for board in BOARDS}) == len(names)


def test_a_stat_that_turns_red_says_which_side_is_bad():
    writes = next(panel for _, panel in PANELS if panel.title == "Writes that succeed")
    (written,) = [p for p in drawn(BOARDS[0]) if p["title"] == writes.title]
    steps = written["fieldConfig"]["defaults"]["thresholds"]["steps"]
    assert [step["color"] for step in steps] == ["red", "green"]
    assert steps[1]["value"] == 0.999


def test_what_grafana_is_provisioned_with_is_what_the_boards_declare():
    assert main([str(ROOT / "monitoring" / "dashboards"), "--check"]) == 0


def test_a_file_that_was_edited_or_left_behind_is_drift(tmp_path, capsys):
    main([str(tmp_path)])
    assert main([str(tmp_path), "--check"]) == 0
    edited = json.loads((tmp_path / "disks.json").read_text())
    edited["title"] = "mine"
    (tmp_path / "disks.json").write_text(json.dumps(edited))
    (tmp_path / "old.json").write_text("{}")
    assert main([str(tmp_path), "--check"]) == 1
    said = capsys.readouterr().err
    assert "disks.json" in said
    assert "old.json" in said
    assert "hosts.json" not in said
