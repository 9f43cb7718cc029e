import re
import shutil
from pathlib import Path

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._images.image_checks import ImageError
from ansible_collections.metal.kafka.plugins.plugin_utils._images.images import (
    catalogue,
    find,
    repository_root,
)

VERSIONS = "debian: trixie\njava: '21'\nkafka: 3.9.2\nspark: 4.2.1\n"
CATALOGUE = """
kafka: {version: kafka, parents: [builder, jre], uses: [kafka], runtime: true}
builder: {version: debian, uses: [debian, java]}
jre: {version: java, parents: [builder], uses: [debian], runtime: true}
spark: {version: spark, parents: [jre], sources: [client], runtime: true}
"""


@pytest.fixture
def root(tmp_path):
    (tmp_path / "versions.yml").write_text(VERSIONS)
    for name in ("builder", "jre", "kafka", "spark"):
        (tmp_path / "images" / name).mkdir(parents=True)
        (tmp_path / "images" / name / "Dockerfile").write_text(f"# {name}\n")
    (tmp_path / "images" / "images.yml").write_text(CATALOGUE)
    (tmp_path / "client").mkdir()
    (tmp_path / "client" / "main.py").write_text("print(1)\n")
    return tmp_path


def references(root, registry=""):
    return {image.name: image.reference for image in catalogue(root, registry)}


def changed(before, after):
    return {name for name in before if before[name] != after[name]}


def test_images_of_packages_share_a_recipe_and_differ_by_their_packages(root):
    (root / "images" / "packaged").mkdir()
    (root / "images" / "packaged" / "Dockerfile").write_text("# any\n")
    with (root / "images" / "images.yml").open("a") as entries:
        for name, package in (("one", "kafka-exporter"), ("other", "jmx-exporter")):
            entries.write(
                f"{name}: {{recipe: packaged, version: kafka, packages: [{package}, tools],"
                " uses: [debian]}\n"
            )

    one, other = (find(name, catalogue(root)) for name in ("one", "other"))

    assert one.build_args["PACKAGES"] == "kafka-exporter=3.9.2* tools=3.9.2*"
    assert one.context == other.context == str(root / "images" / "packaged")
    assert one.reference.startswith("kafka-metal/one:3.9.2-")
    assert one.reference.split("-")[-1] != other.reference.split("-")[-1]


def test_images_come_in_build_order_with_their_levels(root):
    order = [(image.name, image.level) for image in catalogue(root)]
    assert order == [("builder", 0), ("jre", 1), ("kafka", 2), ("spark", 2)]


def test_a_reference_has_the_upstream_version_and_twelve_digits(root):
    repository, tag = references(root)["kafka"].split(":")
    version, digest = tag.rsplit("-", 1)
    assert (repository, version, len(digest)) == ("kafka-metal/kafka", "3.9.2", 12)


def test_build_arguments_have_versions_and_parents(root):
    images = catalogue(root)
    kafka = find("kafka", images)
    assert kafka.build_args == {
        "KAFKA": "3.9.2",
        "BUILDER_IMAGE": find("builder", images).reference,
        "JRE_IMAGE": find("jre", images).reference,
    }
    assert find("builder", images).build_args == {
        "BASE_IMAGE": "debian:trixie-slim",
        "JAVA": "21",
    }


def test_registry_is_a_prefix_and_changes_no_tag(root):
    here, there = references(root), references(root, "registry.example/")
    assert there == {name: f"registry.example/{here[name]}" for name in here}
    jre = find("jre", catalogue(root, "registry.example"))
    assert jre.build_args["BUILDER_IMAGE"].startswith("registry.example/kafka-metal/builder:")


def test_version_of_a_site_gives_the_tags_of_that_version(root):
    changed_references = {i.name: i.reference for i in catalogue(root, wanted={"kafka": "3.8.1"})}
    assert changed(references(root), changed_references) == {"kafka"}
    assert changed_references["kafka"].startswith("kafka-metal/kafka:3.8.1-")
    # The same version gives the same image, from versions.yml or from the site.
    (root / "versions.yml").write_text(VERSIONS.replace("3.9.2", "3.8.1"))
    assert changed_references == references(root)


@pytest.mark.parametrize(
    ("versions", "message"),
    [
        (
            {"kafak": "3.8.1"},
            "image_versions: found key kafak; allowed: keys of versions.yml: debian, java",
        ),
        (["kafka"], r"image_versions: found \['kafka'\]; allowed: a mapping"),
    ],
)
def test_unknown_version_key_is_refused(root, versions, message):
    with pytest.raises(ImageError, match=message):
        catalogue(root, wanted=versions)


@pytest.fixture
def recorded(root):
    line = "0" * 64 + "  org/apache/kafka/kafka_2.13/{0}/kafka_2.13-{0}.jar\n"
    path = root / "images/kafka/checksums.sha256"
    path.write_text(line.format("3.9.2") + line.format("3.8.1"))
    return root


@pytest.mark.parametrize("version", ["3.7.2", "3.8", "3.8.*", "3.9.2/kafka", ""])
def test_version_without_checksums_is_refused_before_the_build(recorded, version):
    message = (
        rf"image_versions: found kafka {re.escape(version)}; allowed: a version with checksums in"
    )
    with pytest.raises(ImageError, match=message):
        catalogue(recorded, wanted={"kafka": version})


def test_version_needs_recorded_checksums_except_while_recording(recorded):
    assert find("kafka", catalogue(recorded, wanted={"kafka": "3.8.1"})).version == "3.8.1"
    new = catalogue(recorded, wanted={"kafka": "3.7.2"}, recorded=False)
    assert find("kafka", new).version == "3.7.2"
    # Other images are unaffected.
    assert find("spark", catalogue(recorded, wanted={"spark": "4.2.0"})).version == "4.2.0"


def edit_recipe(root):
    (root / "images/kafka/Dockerfile").write_text("# other\n")


def add_file(root):
    (root / "images/kafka/empty").write_text("")


def rename_file(root):
    add_file(root)
    (root / "images/kafka/empty").rename(root / "images/kafka/Empty")


def make_executable(root):
    (root / "images/kafka/Dockerfile").chmod(0o755)


def raise_version(root):
    (root / "versions.yml").write_text(VERSIONS.replace("3.9.2", "3.9.3"))


def edit_source(root):
    (root / "client/main.py").write_text("print(2)\n")


def edit_parent(root):
    (root / "images/jre/Dockerfile").write_text("# other\n")


def add_generated_files(root):
    for name in ("client/__pycache__/main.pyc", "client/.mypy_cache/x", "images/kafka/Dockerfile~"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("generated")


@pytest.mark.parametrize(
    ("change", "new"),
    [
        (edit_recipe, {"kafka"}),
        (add_file, {"kafka"}),
        (rename_file, {"kafka"}),
        (make_executable, {"kafka"}),
        (raise_version, {"kafka"}),
        (edit_source, {"spark"}),
        (edit_parent, {"jre", "kafka", "spark"}),
        (add_generated_files, set()),
    ],
)
def test_exactly_the_images_whose_content_changes_get_a_new_tag(root, change, new):
    before = references(root)
    change(root)
    assert changed(before, references(root)) == new


def test_a_copy_of_the_repository_elsewhere_has_the_same_tags(root, tmp_path_factory):
    copy = tmp_path_factory.mktemp("elsewhere") / "clone"
    shutil.copytree(root, copy)
    assert references(copy) == references(root)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("uses: [kafka]", "uses: [kafk]", "image kafka: kafk is not a key of versions.yml"),
        ("parents: [jre]", "parents: [jra]", "image spark: parent jra is not an image"),
        ("sources: [client]", "sources: [clint]", "image spark: source clint does not exist"),
        ("version: spark", "verison: spark", "image spark: unknown key verison"),
        ("uses: [debian, java]", "parents: [kafka]", "built from each other: builder, jre, kafka"),
        ("spark:", "spork:", "image spork: has no recipe images/spork/Dockerfile"),
    ],
)
def test_invalid_entry_is_refused_by_name(root, old, new, message):
    path = root / "images/images.yml"
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(ImageError, match=message):
        catalogue(root)


def test_a_missing_catalogue_is_named(root):
    (root / "images/images.yml").unlink()
    with pytest.raises(ImageError, match=r"images/images.yml: no such file under"):
        catalogue(root)


def test_unknown_image_is_refused_with_all_names(root):
    with pytest.raises(ImageError, match=r"image kafak is not in .*; allowed: builder, jre, kafka"):
        find("kafak", catalogue(root))


def test_the_repository_is_found_from_the_plugin_itself():
    assert (repository_root() / "galaxy.yml").is_file()
    assert repository_root() == Path(__file__).resolve().parents[2]


def test_another_release_of_the_distribution_needs_no_checksums():
    base = find("jre", catalogue(wanted={"debian": "bookworm"})).build_args["BASE_IMAGE"]
    assert base == "debian:bookworm-slim"
