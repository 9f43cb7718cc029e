import subprocess
import sys
import zipfile

import pytest
from ansible_collections.metal.kafka.plugins.modules.python_library import read_digest, unpack
from ansible_collections.metal.kafka.plugins.plugin_utils._operations import library_archive


def archive(path, **files):
    with zipfile.ZipFile(path, "w") as content:
        for name, text in files.items():
            content.writestr(f"library/{name}.py", text)
    return str(path)


def value(folder):
    code = "import library; print(library.VALUE)"
    environment = {"PYTHONPATH": str(folder)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE)
    return done.stdout.decode().strip()


def test_library_is_replaced_completely(tmp_path):
    folder = str(tmp_path / "python" / "library-1")
    assert read_digest(folder) is None

    unpack(archive(tmp_path / "1.zip", __init__="VALUE = 1", old=""), folder, "one")
    assert (read_digest(folder), value(folder)) == ("one", "1")

    unpack(archive(tmp_path / "2.zip", __init__="VALUE = 2"), folder, "two")
    assert (read_digest(folder), value(folder)) == ("two", "2")
    assert not (tmp_path / "python/library-1/library/old.py").exists()


def test_partial_library_is_not_accepted(tmp_path):
    folder = tmp_path / "library-1"
    (folder / "library").mkdir(parents=True)
    assert read_digest(str(folder)) is None
    (tmp_path / "library-1.new").mkdir()
    unpack(archive(tmp_path / "1.zip", __init__="VALUE = 1"), str(folder), "one")
    assert value(folder) == "1"


def test_modules_are_compiled(tmp_path):
    folder = str(tmp_path / "library-1")
    unpack(archive(tmp_path / "1.zip", __init__="VALUE = 1"), folder, "one")
    assert list((tmp_path / "library-1/library/__pycache__").glob("__init__.*.pyc"))


def test_archive_is_reproducible(tmp_path):
    first = library_archive.write("kafka", tmp_path / "1.zip")
    second = library_archive.write("kafka", tmp_path / "2.zip")

    assert first["digest"] == second["digest"]
    folder = str(tmp_path / "kafka-python")
    unpack(first["path"], folder, first["digest"])
    code = "import kafka.net.transport as t, sys; print(t.__file__.startswith(sys.argv[1]))"
    run = subprocess.run(
        [sys.executable, "-c", code, folder],
        env={"PYTHONPATH": folder},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.strip() == "True", run.stderr


def test_missing_package_is_an_error(tmp_path):
    with pytest.raises(LookupError, match="lacks the package nowhere"):
        library_archive.write("nowhere", tmp_path / "1.zip")
