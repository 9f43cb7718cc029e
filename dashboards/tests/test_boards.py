"""Panels are described, query only known metrics, and do not overlap."""

import json
from itertools import combinations
from pathlib import Path

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.metrics_catalogue import (
    parse_series,
    queryable_names,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.monitoring_files import (
    read_records,
    read_series,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.promql import series_names
from kafka_metal_dashboards.__main__ import main
from kafka_metal_dashboards.boards import BOARDS
from kafka_metal_dashboards.grafana import to_dashboard

ROOT = Path(__file__).resolve().parents[2]
KNOWN = queryable_names(parse_series(read_series()).values()) | set(read_records())
PANELS = [(board.name, panel) for board in BOARDS for panel in board.panels]

each_board = pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)


def grafana_panels(board):
    return [panel for panel in to_dashboard(board)["panels"] if panel["type"] != "row"]


@each_board
def test_every_panel_has_a_title_a_unit_and_a_description(board):
    assert grafana_panels(board)
    for panel in grafana_panels(board):
        assert panel["title"]
        assert panel["description"].endswith("."), panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"], panel["title"]


@each_board
def test_queries_use_only_metrics_of_the_catalogue(board):
    unknown = {
        panel.title: series_names(query.promql) - KNOWN
        for panel in board.panels
        for query in panel.queries
        if series_names(query.promql) - KNOWN
    }
    assert unknown == {}


@each_board
def test_queries_select_the_cluster(board):
    for panel in board.panels:
        for query in panel.queries:
            assert 'cluster="$cluster"' in query.promql, panel.title
            assert "{C}" not in query.promql


@each_board
def test_panels_do_not_overlap(board):
    taken = [panel["gridPos"] for panel in to_dashboard(board)["panels"]]
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
def test_ids_of_panels_and_queries_are_unique(board):
    written = to_dashboard(board)
    ids = [panel["id"] for panel in written["panels"]]
    assert len(ids) == len(set(ids))
    for panel in grafana_panels(board):
        references = [target["refId"] for target in panel["targets"]]
        assert len(references) == len(set(references))
        assert panel["datasource"]["uid"] == "$source"


def test_names_and_titles_of_boards_are_unique():
    names = [board.name for board in BOARDS]
    assert len(names) == len(set(names)) == 11
    assert len({board.title for board in BOARDS}) == len(names)


def test_thresholds_of_a_low_stat_are_red_below():
    writes = next(panel for _, panel in PANELS if panel.title == "Successful writes")
    (written,) = [p for p in grafana_panels(BOARDS[0]) if p["title"] == writes.title]
    steps = written["fieldConfig"]["defaults"]["thresholds"]["steps"]
    assert [step["color"] for step in steps] == ["red", "green"]
    assert steps[1]["value"] == 0.999


def test_provisioned_dashboards_are_up_to_date():
    assert main([str(ROOT / "monitoring" / "dashboards"), "--check"]) == 0


def test_check_lists_edited_and_obsolete_files(tmp_path, capsys):
    main([str(tmp_path)])
    assert main([str(tmp_path), "--check"]) == 0
    edited = json.loads((tmp_path / "disks.json").read_text())
    edited["title"] = "mine"
    (tmp_path / "disks.json").write_text(json.dumps(edited))
    (tmp_path / "old.json").write_text("{}")
    assert main([str(tmp_path), "--check"]) == 1
    output = capsys.readouterr().err
    assert "disks.json" in output
    assert "old.json" in output
    assert "hosts.json" not in output
