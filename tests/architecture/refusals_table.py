"""Where each refusal is said first; the first pattern that matches applies.

preflight:CHECK   a check of preflight refuses the same before a run starts
plan:FILE::TEST   the same code runs in `make plan`; the test covers it
verb:NAME         only this verb has it, before its first change
internal          a site cannot cause it: a damaged installation, or the caller's mistake
late:REASON       only a run finds it: a key of LATE
"""

# What a plan cannot know. docs/operate/verbs/plan.md has the same sentences.
LATE = {
    "connection": "A broker, server or database may reject a connection or a request.",
    "engine": "The container engine may refuse a container, for example a limit below its memory.",
    "image": "An image may fail to build, or not reach a host.",
    "health": "A service may not become healthy after its start.",
    "driver": "A driver may refuse what it finds at its start: partitions, schemas, databases.",
    "checkpoint": "Checkpoints in object storage are only read by drivers.",
    "host": "A host may become unreachable, or refuse a change of its kernel or disks.",
    "cluster": "The cluster may change between plan and run.",
    "operation": "Another operation may start between plan and run.",
}

_CONTENT = (
    "plan:tests/unit/test_refused_content.py::"
    "test_a_plan_fails_if_the_content_is_invalid_or_cannot_be_read"
)
_KEYS = (
    "plan:tests/unit/test_credentials_action.py::test_dry_run_reports_the_same_and_writes_nothing"
)
_STATE = "plan:tests/unit/test_state_directory.py::test_dry_run_reports_moves_and_changes_nothing"
_DISKS = "plan:tests/unit/test_data_disks.py::test_refusal_names_content_and_remedy"
_LIVE = "plan:tests/unit/test_dynamic_configs.py::test_dry_run_plans_for_a_restarted_broker"
_TUNING = "plan:tests/unit/test_tuning.py::test_check_mode_reports_the_same_and_changes_nothing"
_GATE = "plan:tests/unit/test_gate_in_plan.py::test_unusable_log_dirs_are_reported"
_SQL = (
    "plan:tests/unit/test_pipeline_sql.py::"
    "test_refusal_names_pipeline_and_output_of_a_mismatched_checkpoint"
)
_VERSIONS = "plan:tests/unit/test_schema_registry.py::test_two_versions_never_share_a_journal"
_TARGETS = "preflight:monitoring_targets"

TABLE = (
    # Tasks of playbooks and roles.
    ("playbooks/internal_declarations.yml: *", "preflight:*"),
    ("playbooks/plan.yml: *", "verb:plan"),
    ("playbooks/access.yml: *", "verb:access"),
    ("playbooks/close.yml: *", "verb:secure"),
    ("playbooks/pipeline.yml: *", "verb:pipelines"),
    ("playbooks/secure.yml: *", "verb:secure"),
    ("playbooks/destroy.yml: *", "verb:destroy"),
    ("playbooks/internal_deletable.yml: *", "verb:destroy"),
    ("playbooks/disk_reserve.yml: *", "verb:disk-reserve"),
    ("playbooks/internal_disk.yml: *", "verb:disk-replace"),
    ("playbooks/internal_demo.yml: *", "verb:demo"),
    ("playbooks/internal_brought_up.yml: *", "verb:status"),
    ("playbooks/status.yml: *", "verb:status"),
    ("playbooks/pipelines.yml: *", "verb:pipelines"),
    ("playbooks/logs.yml: *", "verb:logs"),
    ("playbooks/reboot.yml: *", "verb:reboot"),
    ("playbooks/restart.yml: *", "verb:restart"),
    ("playbooks/rotate.yml: *", "verb:rotate"),
    ("playbooks/internal_rotate_store.yml: *", "verb:rotate"),
    ("playbooks/internal_schemas.yml: *", "verb:schemas-backup"),
    ("roles/schema_registry/tasks/backup*.yml: *", "verb:schemas-backup"),
    ("roles/schema_registry/tasks/restore*.yml: *", "verb:schemas-restore"),
    ("plugins/modules/schema_backup_info.py: *", "verb:schemas-restore"),
    ("roles/schema_registry/tasks/one_version.yml: *", _VERSIONS),
    ("roles/schema_registry/tasks/await.yml: *", "late:health"),
    ("playbooks/zookeeper_trust.yml: *", "verb:zookeeper-trust"),
    ("roles/benchmark/*", "verb:bench"),
    ("roles/docker/tasks/install.yml: *", "preflight:system"),
    ("roles/docker/tasks/start.yml: *", "late:engine"),
    ("roles/images/*", "late:image"),
    ("roles/kafka_broker/tasks/check_connected_clients.yml: *", "verb:secure"),
    ("roles/kafka_broker/tasks/*_upgrade.yml: *", "verb:upgrade"),
    ("roles/kafka_broker/tasks/gate.yml: *", _GATE),
    ("roles/kafka_broker/tasks/migration.yml: *", _LIVE),
    ("roles/kafka_broker/tasks/validate.yml: *", _LIVE),
    ("roles/kafka_content/*", _CONTENT),
    ("roles/kafka_disks/tasks/mount.yml: *", "verb:disk-add"),
    ("roles/kafka_disks/tasks/delete_reserve.yml: *", "verb:disk-reserve"),
    ("roles/kafka_disks/*", "verb:disk-replace"),
    ("roles/pipeline/tasks/check_ports.yml: *", "verb:pipelines"),
    ("roles/pipeline/tasks/health.yml: *", "late:health"),
    ("roles/pipeline/tasks/statements.yml: *", "late:image"),
    ("roles/pipeline/tasks/statements_result.yml: *", _SQL),
    ("roles/roll/tasks/lock.yml: *silences", "preflight:silence_seconds"),
    ("roles/roll/tasks/lock.yml: *", "late:operation"),
    ("roles/roll/tasks/standalone.yml: *", "internal"),
    ("roles/roll/*", "late:health"),
    ("roles/service/tasks/container.yml: *", "late:engine"),
    # Declarations.
    ("declarations/*", "preflight:pipeline_declarations"),
    ("plugins/filter/pipeline.py: *", "preflight:pipeline_declarations"),
    ("plugins/filter/pipeline_checks.py: *", "preflight:pipeline_declarations"),
    ("plugins/plugin_utils/_declarations/compose_project.py: *", "internal"),
    ("plugins/plugin_utils/_declarations/service_data.py: *", "preflight:cluster_name"),
    ("plugins/plugin_utils/_declarations/*", "preflight:content_declared"),
    ("plugins/plugin_utils/_images/image_checks.py: *", "preflight:image_versions"),
    ("plugins/plugin_utils/_images/*", "internal"),
    ("plugins/plugin_utils/_monitoring/alertmanager.py: *", "preflight:monitoring_receivers"),
    ("plugins/plugin_utils/_monitoring/alerts.py: *", "preflight:monitoring_alerts"),
    ("plugins/plugin_utils/_monitoring/known_options.py: *", "preflight:monitoring_options"),
    ("plugins/plugin_utils/_monitoring/prometheus.py: check_targets", _TARGETS),
    ("plugins/plugin_utils/_monitoring/prometheus.py: target_file", _TARGETS),
    ("plugins/plugin_utils/_monitoring/prometheus.py: _check_address", _TARGETS),
    ("plugins/plugin_utils/_monitoring/prometheus.py: *", "preflight:monitoring_options"),
    ("plugins/plugin_utils/_monitoring/extra_entries.py: *", "preflight:monitoring_entries"),
    ("plugins/plugin_utils/_monitoring/*", "internal"),
    ("plugins/plugin_utils/_catalogue/container_users.py: *", "preflight:users"),
    ("plugins/plugin_utils/_catalogue/*", "internal"),
    ("plugins/plugin_utils/_operations/upgrade.py: *", "verb:upgrade"),
    ("plugins/plugin_utils/_operations/*", "internal"),
    # Security.
    ("plugins/plugin_utils/_security/security_modes.py: *", "preflight:security_mode"),
    ("plugins/plugin_utils/_security/service_accounts.py: *", "preflight:reserved_user_names"),
    ("plugins/plugin_utils/_security/tls_migration.py: *", "preflight:security_migration"),
    ("plugins/plugin_utils/_security/ca_rotation.py: *", "verb:rotate"),
    ("plugins/plugin_utils/_security/quorum_ca.py: *", "verb:zookeeper-trust"),
    ("plugins/plugin_utils/_security/*", _KEYS),
    ("plugins/action/credentials.py: *", _KEYS),
    ("plugins/modules/credentials.py: *", _KEYS),
    ("plugins/lookup/secret.py: *", _KEYS),
    ("plugins/filter/security_migration.py: *", "preflight:security_migration"),
    ("plugins/filter/security.py: *", "preflight:reserved_user_names"),
    # The site.
    ("plugins/plugin_utils/_site/state_*", _STATE),
    ("plugins/modules/begin.py: *", "internal"),
    ("plugins/modules/client_files.py: *", "internal"),
    # Of names in playbooks.
    ("plugins/action/client_files.py: *", "late:host"),
    ("plugins/action/begin.py: *", "verb:preflight"),
    ("plugins/action/screen.py: write", "late:host"),
    ("plugins/plugin_utils/_site/*", "preflight:required_values"),
    ("plugins/lookup/site.py: *", "preflight:required_values"),
    ("plugins/lookup/image*", "preflight:image_versions"),
    ("plugins/filter/host_selectors.py: *", "preflight:image_versions"),
    ("plugins/filter/monitoring.py: *", "preflight:monitoring_alerts"),
    ("plugins/filter/content.py: *", "preflight:content_declared"),
    ("plugins/filter/properties.py: *", "preflight:broker_keys"),
    ("plugins/filter/broker_settings.py: *", "preflight:broker_keys"),
    ("plugins/filter/service.py: *", "preflight:users"),
    ("plugins/filter/storage.py: *", "preflight:storage_declared"),
    ("plugins/filter/units.py: *", "preflight:memory_sizes"),
    ("plugins/filter/tuning.py: *", _TUNING),
    ("plugins/filter/compose.py: *", "internal"),
    ("plugins/filter/components.py: *", "verb:versions"),
    ("plugins/filter/hosts.py: *", "internal"),
    ("plugins/action/python_library.py: *", "internal"),
    # Content of the cluster.
    ("plugins/module_utils/_content/applied_file.py: *", "preflight:applied_states"),
    ("plugins/modules/applied_content.py: *", "preflight:applied_states"),
    ("plugins/module_utils/_content/applied_state.py: *", "preflight:removals_confirmed"),
    ("plugins/module_utils/_content/groups.py: *", "verb:groups"),
    ("plugins/modules/groups.py: *", "verb:groups"),
    ("plugins/module_utils/_content/*: *carry_out", "late:cluster"),
    ("plugins/module_utils/_content/*", _CONTENT),
    ("plugins/modules/cluster_content.py: *", _CONTENT),
    ("plugins/modules/cluster_content_info.py: *", "verb:export"),
    ("plugins/module_utils/_replicas/placement.py: *", _CONTENT),
    ("plugins/module_utils/_replicas/reassignment.py: *", "late:cluster"),
    ("plugins/modules/reassign.py: *", "late:cluster"),
    ("plugins/module_utils/_replicas/elections.py: *", "verb:restart"),
    ("plugins/modules/elect_leaders.py: *", "late:cluster"),
    ("plugins/module_utils/_replicas/*", "verb:disk-drain"),
    ("plugins/modules/broker_log_dirs.py: *", "verb:disk-drain"),
    ("plugins/modules/broker_refilled.py: *", "verb:disk-replace"),
    ("plugins/modules/replica_equality.py: *", "verb:replicas"),
    # Brokers.
    ("plugins/module_utils/_common/*", "preflight:broker_keys"),
    ("plugins/module_utils/_kafka/live_changes.py: *", _LIVE),
    ("plugins/modules/broker_config.py: *", _LIVE),
    ("plugins/module_utils/_kafka/scram.py: *", "preflight:content_declared"),
    ("plugins/module_utils/_kafka/*", "late:connection"),
    ("plugins/modules/broker_reload.py: *", "late:connection"),
    ("plugins/modules/cluster_lock.py: *", "late:host"),
    ("plugins/modules/cluster_*", "late:connection"),
    ("plugins/modules/zookeeper_*", "late:connection"),
    ("plugins/module_utils/_services/*", "late:connection"),
    ("plugins/modules/wait_for_cluster.py: *", "late:health"),
    # Hosts.
    ("plugins/module_utils/_host/disks/*", _DISKS),
    ("plugins/modules/data_disks.py: *", _DISKS),
    ("plugins/modules/data_disk_release.py: *", "verb:disk-remove"),
    ("plugins/module_utils/_host/tuning/*", _TUNING),
    ("plugins/modules/host_tuning.py: *", _TUNING),
    ("plugins/module_utils/_host/*", "late:host"),
    ("plugins/module_utils/_containers/*", "verb:versions"),
    ("plugins/modules/image_contents.py: *", "verb:versions"),
    ("plugins/modules/container_info.py: *", "late:engine"),
    (
        "plugins/modules/service_files.py: *",
        "plan:tests/unit/test_owner_change.py::test_check_mode_reports_the_change",
    ),
    ("plugins/modules/absent_paths.py: *", "internal"),
    ("plugins/modules/machine_baseline.py: *", "late:host"),
    ("plugins/modules/last_good.py: *", "late:host"),
    ("plugins/modules/maintenance.py: *", "late:host"),
    ("plugins/modules/declared_content.py: *", "late:host"),
    ("plugins/modules/screen.py: *", "verb:status"),
    ("plugins/modules/support_*", "verb:support"),
    # Pipelines: the check of SQL and checkpoints calls the first ones.
    ("spark/src/kafka_metal_pipeline/sql_check.py: *", _SQL),
    ("spark/src/kafka_metal_pipeline/checkpoint.py: *", _SQL),
    ("spark/src/kafka_metal_pipeline/checkpoint_files.py: *", "late:checkpoint"),
    ("spark/src/kafka_metal_pipeline/archive.py: *", "late:checkpoint"),
    ("spark/src/kafka_metal_pipeline/marks.py: *", "late:checkpoint"),
    ("spark/*", "late:driver"),
)
