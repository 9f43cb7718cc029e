package metal.kafka.spark;

import java.util.Map;
import java.util.Optional;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.ReportsSourceMetrics;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;
import org.apache.spark.sql.execution.streaming.Source;
import org.apache.spark.sql.kafka010.KafkaMicroBatchStream;
import org.apache.spark.sql.types.StructType;
import scala.Option;

/** The source of one query: Spark's own stream of Kafka, with the same batches as the other queries. */
final class SharedSource implements Source, SupportsTriggerAvailableNow, ReportsSourceMetrics {
  private final SharedRead reading;
  private final String output;
  private final Topic topic;
  private final KafkaMicroBatchStream kafka;
  private final boolean isWaitedFor;

  SharedSource(SharedRead reading, String output, Topic topic, boolean isWaitedFor) {
    this.reading = reading;
    this.output = output;
    this.topic = topic;
    this.kafka = topic.kafka();
    this.isWaitedFor = isWaitedFor;
  }

  /** Whether other queries wait for it during a backlog: not if it has a slower trigger. */
  boolean isWaitedFor() {
    return isWaitedFor;
  }

  @Override
  public StructType schema() {
    return reading.schema();
  }

  @Override
  public Offset latestOffset(Offset start, ReadLimit limit) {
    Offsets begin = Offsets.of(start == null ? kafka.initialOffset() : start);
    return reading.end(this, begin, reading.limitOf(output, limit), kafka).offset();
  }

  @Override
  public Dataset<Row> getBatch(
      Option<org.apache.spark.sql.execution.streaming.Offset> start,
      org.apache.spark.sql.execution.streaming.Offset end) {
    Offsets begin = Offsets.of(start.isEmpty() ? kafka.initialOffset() : start.get());
    Offsets to = Offsets.of(end);
    RDD<InternalRow> rows = reading.rows(this, begin, to, topic);
    return topic.spark().internalCreateDataFrame(rows, schema(), true);
  }

  @Override
  public ReadLimit getDefaultReadLimit() {
    return kafka.getDefaultReadLimit();
  }

  @Override
  public Offset reportLatestOffset() {
    return kafka.reportLatestOffset();
  }

  @Override
  public Map<String, String> metrics(Optional<Offset> consumed) {
    return kafka.metrics(consumed.map(offset -> Offsets.of(offset).offset()));
  }

  @Override
  public void prepareForTriggerAvailableNow() {
    kafka.prepareForTriggerAvailableNow();
  }

  @Override
  public Option<org.apache.spark.sql.execution.streaming.Offset> getOffset() {
    throw new UnsupportedOperationException("a source with read limits implements latestOffset");
  }

  @Override
  public void stop() {
    reading.leave(this);
    kafka.stop();
  }
}
