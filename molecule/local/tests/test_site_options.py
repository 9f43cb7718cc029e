"""What only a site may set reaches the drivers of its pipelines."""


def test_spark_options_of_the_site_reach_its_pipelines(ask):
    # A declaration may not give this one.
    assert ["spark.ui.liveUpdate.period", "150ms"] in ask("environment")["sparkProperties"]
