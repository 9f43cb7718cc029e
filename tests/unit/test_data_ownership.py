"""Data directories are deleted or used only if they belong to the cluster."""

import json
import os

import pytest
from ansible.module_utils import basic
from ansible_collections.metal.kafka.plugins.module_utils._host import data_ownership
from ansible_collections.metal.kafka.plugins.modules import service_files
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.destruction import destruction


def container(cluster, *sources, name="kafka1"):
    labels = {"kafka-metal.cluster": cluster} if cluster else {}
    return {
        "Names": [f"/{cluster}-{name}"],
        "Labels": labels,
        "Mounts": [{"Source": str(source), "RW": True} for source in sources],
    }


def place(path, *owners, cluster_id="", empty=False, exists=True, shared=False, inside=(), link=""):
    return {
        "inside": list(inside),
        "link": link,
        "path": path,
        "exists": exists,
        "empty": empty,
        "owners": sorted(owners),
        "cluster_id": cluster_id,
        "shared": shared,
    }


def facts(*places, containers=(), clusters=(), problem=""):
    return {
        "found": list(places),
        "containers": list(containers),
        "clusters": list(clusters),
        "problem": problem,
    }


def test_marker_has_clusters_and_services(tmp_path):
    data_ownership.mark(str(tmp_path), "prod", "pipeline-b")
    data_ownership.mark(str(tmp_path), "prod", "pipeline-a")
    data_ownership.mark(str(tmp_path), "prod2")

    assert data_ownership.read_owners(str(tmp_path)) == {
        "prod": ["pipeline-a", "pipeline-b"],
        "prod2": [],
    }
    assert data_ownership.is_marked(str(tmp_path), "prod", "pipeline-a")
    assert not data_ownership.is_marked(str(tmp_path), "prod2", "pipeline-a")
    assert data_ownership.release(str(tmp_path), "prod2")
    assert set(data_ownership.read_owners(str(tmp_path))) == {"prod"}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"clusters": 1}', '{"clusters": ["prod"]}', "\0"])
def test_damaged_marker_is_ignored(tmp_path, text):
    (tmp_path / data_ownership.MARKER).write_text(text)

    assert data_ownership.read_owners(str(tmp_path)) == {}


def test_containers_of_earlier_versions_own_their_mounts(tmp_path):
    data = tmp_path / "zk1"
    data.mkdir()
    found = data_ownership.inspect(
        str(data), [container("prod", data), container("prod2", tmp_path)]
    )

    assert found["owners"] == ["prod"]


def test_two_brokers_on_one_disk_own_their_log_dirs(tmp_path):
    disk = tmp_path / "disk1"
    containers = []
    for cluster in ("prod", "prod2"):
        config = tmp_path / f"{cluster}-kafka1"
        config.mkdir()
        (disk / cluster).mkdir(parents=True)
        (config / "server.properties").write_text(f"broker.id=1\nlog.dirs={disk / cluster},/x\n")
        containers.append(container(cluster, disk, config))

    assert data_ownership.inspect(str(disk / "prod"), containers)["owners"] == ["prod"]
    assert data_ownership.inspect(str(disk / "prod2"), containers)["owners"] == ["prod2"]


def test_only_directories_of_the_cluster_are_deleted():
    found = destruction(
        "prod",
        {
            "zk1": [facts(place("/d/zk", "prod"), place("/d/gone", exists=False))],
            "kafka1": [
                facts(place("/d/k1", "prod", cluster_id="A"), place("/d/old", cluster_id="A"))
            ],
            "kafka2": [facts(place("/d/k2", cluster_id="B"), place("/d/new", empty=True))],
        },
    )

    assert found["refused"] == []
    assert found["delete"] == {"zk1": ["/d/zk"], "kafka1": ["/d/k1", "/d/old"], "kafka2": []}
    assert found["not_deleted"] == ["kafka2: /d/k2: no evidence that it belongs to cluster 'prod'"]
    assert "kafka1: /d/old" in found["lines"]
    assert [line for line in found["lines"] if line.startswith("stays: ")] == [
        "stays: kafka2: /d/k2: no evidence that it belongs to cluster 'prod'"
    ]


@pytest.mark.parametrize("owners", [("prod2",), ("prod", "prod2"), ("",)])
def test_data_of_another_cluster_is_refused_before_any_stop(owners):
    found = destruction("prod", {"k": [facts(place("/d/k", *owners), place("/d/z", "prod"))]})

    assert len(found["refused"]) == 1
    assert "/d/k belongs to cluster" in found["refused"][0]


@pytest.mark.parametrize("inside", [["prod2"], ["prod", "prod2"], [""]])
def test_directory_that_contains_another_cluster_s_is_refused(inside):
    found = {"h": [facts(place("/data/kafka", "prod", inside=inside), containers=["prod-k1"])]}

    result = destruction("prod", found)

    assert "/data/kafka has a directory of cluster" in result["refused"][0]
    assert result["delete"] == {"h": []}


def test_link_is_reported_and_its_data_kept():
    result = destruction("prod", {"h": [facts(place("/data/k", "prod", link="/mnt/k"))]})

    assert result["delete"] == {"h": []}
    assert result["not_deleted"] == ["h: /data/k is a link to /mnt/k, which has all data"]


def test_directories_of_other_clusters_below_are_found(tmp_path):
    (tmp_path / "deep/nested").mkdir(parents=True)
    data_ownership.mark(str(tmp_path), "prod")
    data_ownership.mark(str(tmp_path / "deep"), "prod")
    data_ownership.mark(str(tmp_path / "deep/nested"), "stage")
    foreign = container("other", tmp_path / "deep/mounted")

    found = data_ownership.inspect(str(tmp_path), [foreign])

    assert found["inside"] == ["other", "prod", "stage"]
    assert data_ownership.inspect(str(tmp_path / "deep/nested"), [])["inside"] == []


def test_marker_follows_no_planted_link(tmp_path):
    foreign_file = tmp_path / "foreign-file"
    foreign_file.write_text("precious")
    foreign_file.chmod(0o600)
    data = tmp_path / "data"
    data.mkdir()
    for pid in (os.getpid(), os.getpid() + 1):
        (data / f"{data_ownership.MARKER}.{pid}").symlink_to(foreign_file)
    (data / data_ownership.MARKER).symlink_to(foreign_file)

    data_ownership.mark(str(data), "prod")

    assert foreign_file.read_text() == "precious"
    assert foreign_file.stat().st_mode & 0o777 == 0o600
    assert data_ownership.read_owners(str(data)) == {"prod": []}


def test_unknown_cluster_is_refused_with_the_existing_ones():
    found = destruction("typo", {"k": [facts(place("/d/k", exists=False), clusters=["prod", "x"])]})

    assert found["refused"] == [
        "found no cluster 'typo' on these machines; clusters there: 'prod', 'x'"
    ]


def test_unreachable_engine_is_an_error():
    assert destruction("prod", {"k": [facts(place("/d", "prod"), problem="the engine")]})[
        "refused"
    ] == ["k: the engine"]


def test_shared_directory_of_other_clusters_is_kept_and_reported():
    found = destruction(
        "prod",
        {"k": [facts(place("/s/archive", "prod", "prod2", shared=True), place("/d", "prod"))]},
    )

    assert found["refused"] == []
    assert found["delete"] == {"k": ["/d"]}
    assert found["not_deleted"] == ["k: /s/archive is also used by cluster 'prod2'"]


@pytest.fixture
def run(monkeypatch, capsys):
    def run(**arguments):
        parameters = json.dumps({"ANSIBLE_MODULE_ARGS": arguments}).encode()
        monkeypatch.setattr(basic, "_ANSIBLE_ARGS", parameters)
        monkeypatch.setattr(basic, "_ANSIBLE_PROFILE", "legacy", raising=False)
        with pytest.raises(SystemExit):
            service_files.main()
        return json.loads(capsys.readouterr().out)

    return run


def test_directories_are_marked_once(run, tmp_path):
    data, shared = tmp_path / "kafka1", tmp_path / "shared"
    data.mkdir()
    spec = {
        "dest": str(tmp_path / "config"),
        "directories": [str(data), str(shared), str(tmp_path / "config")],
        "owner_of": {"cluster": "prod", "service": "kafka1", "shared": [str(shared)]},
    }
    planned = run(**spec, _ansible_check_mode=True)
    first, second = run(**spec), run(**spec)

    assert f"directory {data} is marked for cluster prod" in planned["steps"]
    assert first["changed"]
    assert not second["changed"]
    assert data_ownership.read_owners(str(data)) == {"prod": ["kafka1"]}
    assert data_ownership.read_owners(str(shared)) == {"prod": []}
    assert data_ownership.read_owners(str(tmp_path / "config")) == {"prod": ["kafka1"]}


def test_directory_of_another_cluster_is_refused(run, tmp_path):
    data_ownership.mark(str(tmp_path / "."), "prod2", "kafka1")
    spec = {"dest": str(tmp_path / "config"), "directories": [str(tmp_path), str(tmp_path / "new")]}
    result = run(**spec, owner_of={"cluster": "prod", "service": "kafka1"})

    assert result["failed"]
    assert "found the marker (.kafka-metal.json) of prod2" in result["msg"]
    assert not (tmp_path / "new").exists()


def test_two_clusters_may_use_a_shared_directory(run, tmp_path):
    for cluster in ("prod", "prod2"):
        owner = {"cluster": cluster, "service": "driver", "shared": [str(tmp_path)]}
        run(dest=str(tmp_path / cluster), directories=[str(tmp_path)], owner_of=owner)

    assert set(data_ownership.read_owners(str(tmp_path))) == {"prod", "prod2"}
