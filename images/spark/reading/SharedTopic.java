package metal.kafka.spark;

import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.streaming.Source;
import org.apache.spark.sql.kafka010.KafkaMicroBatchStream;
import org.apache.spark.sql.kafka010.KafkaSourceProvider;
import org.apache.spark.sql.sources.StreamSourceProvider;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.Option;
import scala.Tuple2;
import scala.collection.immutable.Map;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A topic that several queries read, each with offsets and a checkpoint of its own. Takes the
 * options of Spark's source of Kafka, {@code reading}, the name that {@link #register} gave, and {@code
 * waited}, whether the others wait for the query while all of them lag.
 */
public final class SharedTopic implements StreamSourceProvider {
  private static final String READING = "reading";
  private static final String WAITED = "waited";
  private static final ConcurrentHashMap<String, Reading> READINGS = new ConcurrentHashMap<>();

  /**
   * A name for what queries share, so many of which are waited for: {@code template} is what to make
   * of a batch, written over records of a topic; its only leaf stands for them.
   */
  public static String register(Dataset<Row> template, int waited) {
    String name = UUID.randomUUID().toString();
    var written = (org.apache.spark.sql.classic.Dataset<Row>) template;
    Validation validation = new Validation(written.sparkSession(), written.logicalPlan());
    READINGS.put(name, new Reading(validation, template.schema(), waited));
    return name;
  }

  @Override
  public Tuple2<String, StructType> sourceSchema(
      SQLContext context, Option<StructType> schema, String provider, Map<String, String> options) {
    return new Tuple2<>("kafka", of(options).schema());
  }

  @Override
  public Source createSource(
      SQLContext context,
      String metadata,
      Option<StructType> schema,
      String provider,
      Map<String, String> options) {
    var kept = options.removed(READING).removed(WAITED);
    var own = new CaseInsensitiveStringMap(CollectionConverters.asJava(kept));
    var scan = new KafkaSourceProvider().getTable(own).newScanBuilder(own).build();
    var spark = (SparkSession) context.sparkSession();
    // One for the query, which closes it at its end, and one for all of them.
    Supplier<Topic> topic =
        () -> new Topic(spark, (KafkaMicroBatchStream) scan.toMicroBatchStream(metadata));
    Reading reading = of(options);
    reading.readThrough(topic);
    return new SharedSource(reading, topic.get(), Boolean.parseBoolean(options.apply(WAITED)));
  }

  private static Reading of(Map<String, String> options) {
    Reading found = READINGS.get(options.apply(READING));
    if (found == null) {
      throw new IllegalArgumentException("no reading was registered as " + options.apply(READING));
    }
    return found;
  }
}
