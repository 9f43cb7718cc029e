from ansible_collections.metal.kafka.plugins.plugin_utils._operations.timings import (
    Steps,
    read,
    typical_durations,
)


def run():
    steps = Steps()
    steps.begin("Images", 100.0)
    steps.count("tasks")
    steps.begin("Kafka", 160.25)
    steps.count("tasks")
    steps.count("changed")
    # The second batch of a serial play.
    steps.begin("Kafka", 170.0)
    steps.count("tasks")
    steps.count("failed")
    return steps


def test_each_play_lasts_until_the_next_and_batches_are_one_step():
    assert run().report("local", 181.0) == {
        "cluster": "local",
        "started": 100.0,
        "seconds": 81.0,
        "plays": [
            {
                "name": "Images",
                "seconds": 60.2,
                "batches": 1,
                "tasks": 1,
                "changed": 0,
                "failed": 0,
            },
            {
                "name": "Kafka",
                "seconds": 20.8,
                "batches": 2,
                "tasks": 2,
                "changed": 1,
                "failed": 1,
            },
        ],
        "typical": {},
    }


def test_lines_are_aligned():
    steps = run()
    steps.report("local", 181.0)
    assert steps.lines() == [
        "Images     60.2 s",
        "Kafka      20.8 s  changed=1  failed=1",
    ]


def test_run_without_plays_is_no_error():
    steps = Steps()
    steps.count("tasks")
    assert steps.report("run", 5.0)["plays"] == []


def test_measured_duration_is_kept_until_the_play_has_changes_again():
    steps = Steps()
    for now, changed in ((0.0, True), (40.0, True), (100.0, True)):
        steps.begin("Restart", now)
        steps.count("changed" if changed else "tasks")
    steps.begin("Read", 126.0)
    report = steps.report("local", 130.0, typical={"Restart": 90.0, "Images": 200.0})
    assert report["typical"] == {"Restart": 42.0, "Images": 200.0}


def test_unreadable_file_has_no_measurements(tmp_path):
    broken = tmp_path / "steps.json"
    assert typical_durations(read(broken)) == {}
    for text in ("{", "[]", '{"plays": []}', '{"typical": 3}', '{"typical": {"a": "b"}}'):
        broken.write_text(text)
        assert typical_durations(read(broken)) == {}
    broken.write_text('{"typical": {"Restart": 42}}')
    assert typical_durations(read(broken)) == {"Restart": 42.0}
