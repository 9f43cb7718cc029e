"""An inventory for tests of the site's values."""

from ansible_collections.metal.kafka.plugins.plugin_utils._site.inventory import Inventory

SITE = {
    "cluster_name": "one",
    "demo_topic": "payments",
    "demo_fraud_topic": "frauds",
    "demo_metrics_topic": "metrics",
    "demo_invalid_topic": "invalid",
    "pipeline_marks_topic": "marks",
}


def site(phase: str | None = None, **more: object) -> Inventory:
    """Three machines with brokers and servers, two Spark masters, one host of monitoring."""
    hosts = {
        f"m{number}": {
            **SITE,
            "kafka_broker_id": number,
            "kafka_broker_client_listener": "SHOP",
            "kafka_broker_inter_broker_listener": "AMONG",
            "kafka_broker_listeners": {
                "SHOP": {"bind": "0.0.0.0", "advertise": f"k{number}", "port": 9092},
                "AMONG": {"bind": "0.0.0.0", "advertise": f"b{number}", "port": 9192},
            },
            "kafka_broker_metrics_port": 7071,
            "kafka_broker_metrics_bind": "127.0.0.1",
            "kafka_broker_log_dirs": [f"/data/{number}"],
            "zookeeper_server_id": number,
            "zookeeper_address": f"z{number}",
            "zookeeper_client_port": 2181,
            "zookeeper_peer_port": 2888,
            "zookeeper_election_port": 3888,
            "zookeeper_metrics_port": 0,
            "zookeeper_metrics_bind": "127.0.0.1",
            "zookeeper_data_dir": "/zk",
            "spark_master_name": f"spark-master{number}",
            "spark_address": f"s{number}",
            "spark_master_port": 7077,
            "spark_master_ui_port": 8080,
            "spark_master_metrics_port": 0,
            "spark_metrics_bind": "127.0.0.1",
            "monitoring_address": f"m{number}",
            "monitoring_bind": "127.0.0.1",
            "monitoring_node_port": 9100,
            "monitoring_prometheus_port": 9090,
            "monitoring_alertmanager_port": 9093,
            "monitoring_alertmanager_peer_port": 9094,
            "monitoring_probe_port": 9308,
            "monitoring_exporter_port": 9309,
            "monitoring_proxy_port": 9443,
            "monitoring_textfile_dir": "/textfile",
            **more,
        }
        for number in (1, 2, 3)
    }
    every = list(hosts)
    groups = {"all": every, "metal": every, "kafka": every, "zookeeper": every}
    return Inventory(hosts, {**groups, "spark_master": every[:2], "monitoring": every[:1]}, phase)
