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
 * Source provider of a topic that several queries read, each with its own offsets and checkpoint. Options
 * are those of Spark's Kafka source, {@code reading} (the name returned by {@link #register}), {@code
 * output} (the name of the query) and {@code waited} (whether other queries wait for this one during a
 * backlog).
 */
public final class SharedTopic implements StreamSourceProvider {
  private static final String READING = "reading";
  private static final String WAITED = "waited";
  private static final String OUTPUT = "output";
  private static final ConcurrentHashMap<String, SharedRead> READINGS = new ConcurrentHashMap<>();

  /**
   * Registers shared reads and returns their name. {@code template}: plan of the validation of a batch; its
   * only leaf is replaced by the records. {@code waited}: number of queries that wait for each other.
   */
  public static String register(Dataset<Row> template, int waited) {
    String name = UUID.randomUUID().toString();
    var written = (org.apache.spark.sql.classic.Dataset<Row>) template;
    Validation validation = new Validation(written.sparkSession(), written.logicalPlan());
    READINGS.put(name, new SharedRead(validation, template.schema(), waited));
    return name;
  }

  /** Frees all shared reads; their queries have stopped. */
  public static void forget() {
    READINGS.clear();
  }

  /** Sets the maximum of records of a running query's next batches. */
  public static void limit(String name, String output, long most) {
    READINGS.get(name).limit(output, most);
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
    var kept = options.removed(READING).removed(WAITED).removed(OUTPUT);
    var own = new CaseInsensitiveStringMap(CollectionConverters.asJava(kept));
    var scan = new KafkaSourceProvider().getTable(own).newScanBuilder(own).build();
    var spark = (SparkSession) context.sparkSession();
    // One for the query, which closes it when it stops, and one for all queries.
    Supplier<Topic> topic =
        () -> new Topic(spark, (KafkaMicroBatchStream) scan.toMicroBatchStream(metadata));
    SharedRead reading = of(options);
    reading.readThrough(topic);
    boolean waited = Boolean.parseBoolean(options.apply(WAITED));
    return new SharedSource(reading, options.apply(OUTPUT), topic.get(), waited);
  }

  private static SharedRead of(Map<String, String> options) {
    SharedRead found = READINGS.get(options.apply(READING));
    if (found == null) {
      throw new IllegalArgumentException("no shared reads are registered as " + options.apply(READING));
    }
    return found;
  }
}
