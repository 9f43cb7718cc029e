package metal.kafka.spark;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.kafka010.KafkaSourceOffset;
import scala.jdk.javaapi.CollectionConverters;

/** Offsets of the next record in each partition of topics. */
record Offsets(Map<TopicPartition, Long> offsets) {
  static Offsets of(Offset offset) {
    Map<TopicPartition, Long> found = new HashMap<>();
    CollectionConverters.asJava(KafkaSourceOffset.apply(offset).partitionToOffsets())
        .forEach((partition, next) -> found.put(partition, (Long) next));
    return new Offsets(found);
  }

  KafkaSourceOffset offset() {
    Map<TopicPartition, Object> known = new HashMap<>(offsets);
    var all = CollectionConverters.asScala(known);
    return new KafkaSourceOffset(scala.collection.immutable.Map.from(all));
  }

  /** The larger offset of the two in each partition. */
  Offsets or(Offsets other) {
    Map<TopicPartition, Long> furthest = new HashMap<>(offsets);
    other.offsets.forEach((partition, next) -> furthest.merge(partition, next, Math::max));
    return new Offsets(furthest);
  }

  /** Whether no offset is larger than in {@code other}. */
  boolean isWithin(Offsets other) {
    return offsets.entrySet().stream()
        .allMatch(each -> each.getValue() <= other.offsets.getOrDefault(each.getKey(), -1L));
  }

  /** Number of records since {@code begin}; partitions that it lacks count from offset 0. */
  long since(Offsets begin) {
    return offsets.entrySet().stream()
        .mapToLong(each -> each.getValue() - begin.offsets.getOrDefault(each.getKey(), 0L))
        .sum();
  }
}
