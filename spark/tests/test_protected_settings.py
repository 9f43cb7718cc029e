"""Settings of a session that a declaration may not change."""

from kafka_metal_declarations.client_options import refused_options
from kafka_metal_pipeline.session import BEHAVIOUR, JAVA_OPTION_KEYS


def test_declaration_cannot_change_security_settings() -> None:
    settings = [*BEHAVIOUR, *JAVA_OPTION_KEYS, "spark.driver.host", "spark.authenticate.secret"]
    found = [
        option for option, *_ in refused_options(dict.fromkeys(settings, "x"), "spark_options")
    ]
    assert found == settings
