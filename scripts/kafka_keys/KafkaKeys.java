// Prints the keys of a version of Kafka as lines of kind, key and, for a topic's key, the broker's keys.

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import kafka.security.authorizer.AclAuthorizer;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.metrics.JmxReporter;
import org.apache.kafka.server.config.ConfigSynonym;
import org.apache.kafka.server.config.ServerTopicConfigSynonyms;
import org.apache.kafka.storage.internals.log.LogConfig;

public class KafkaKeys {
    public static void main(String[] arguments) {
        for (ConfigDef.ConfigKey key : KafkaConfig.configDef().configKeys().values()) {
            System.out.println((key.internalConfig ? "internal " : "broker ") + key.name);
        }
        // Brokers pass these to classes of Kafka, and KafkaConfig does not define them.
        System.out.println("class " + AclAuthorizer.SuperUsersProp());
        System.out.println("class " + AclAuthorizer.AllowEveryoneIfNoAclIsFoundProp());
        for (String key : JmxReporter.RECONFIGURABLE_CONFIGS) {
            System.out.println("class " + key);
        }
        for (String key : LogConfig.configNames()) {
            List<String> line = new ArrayList<>(List.of("topic", key));
            List<ConfigSynonym> synonyms = ServerTopicConfigSynonyms.ALL_TOPIC_CONFIG_SYNONYMS
                .getOrDefault(key, Collections.emptyList());
            // The last ones are in other units, such as hours.
            synonyms.forEach(each -> line.add(each.name()));
            System.out.println(String.join(" ", line));
        }
    }
}
