"""A topic that is deleted and created again stops its readers before they skip records."""

from kafka.admin import NewTopic
from kafka.errors import TopicAlreadyExistsError
from testing import access
from testing.waiting import NotYet, wait_for


def test_a_recreated_topic_stops_its_readers_before_they_skip_records(own):
    late = len(own.late)
    wait_for("every flight is read", lambda: own.ends(late_flights=late), seconds=300)
    with access.admin(own.cluster.topology.bootstrap) as admin:
        admin.delete_topics(["flights"])

        def deleted() -> None:
            if "flights" in admin.list_topics():
                raise NotYet("flights still exists")

        def created() -> None:
            # Brokers delete a topic one after the other, and refuse its name until then.
            try:
                admin.create_topics([NewTopic("flights", 6, 3)])
            except TopicAlreadyExistsError as error:
                raise NotYet(str(error)) from error

        wait_for("the topic is deleted", deleted, seconds=30)
        wait_for("the topic is created again", created, seconds=60)
    own.send(*(f'{{"dep_delay": {100 + number}, "carrier": "YY"}}' for number in range(30)))

    wait_for(
        "each output refuses the new topic",
        lambda: own.fails("deleted and created again"),
        seconds=60,
    )
    assert own.cluster.brokers.end("late_flights") == late
