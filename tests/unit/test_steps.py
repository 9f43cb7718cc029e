from ansible_collections.metal.kafka.plugins.module_utils.steps import Steps


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
            {"name": "Images", "seconds": 60.2, "tasks": 1, "changed": 0, "failed": 0},
            {"name": "Kafka", "seconds": 20.8, "tasks": 2, "changed": 1, "failed": 1},
        ],
    }


def test_lines_stand_in_columns():
    steps = run()
    steps.report("local", 181.0)
    assert steps.lines() == [
        "Images     60.2 s",
        "Kafka      20.8 s  changed=1  failed=1",
    ]


def test_a_run_without_plays_is_no_error():
    steps = Steps()
    steps.count("tasks")
    assert steps.report("run", 5.0)["plays"] == []
