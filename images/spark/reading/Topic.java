package metal.kafka.spark;

import java.util.Arrays;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.execution.datasources.v2.DataSourceRDD;
import org.apache.spark.sql.kafka010.KafkaMicroBatchStream;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** A topic read by a stream of Spark; each has its own consumers on executors. */
record Topic(SparkSession spark, KafkaMicroBatchStream kafka) {
  RDD<InternalRow> records(Offsets begin, Offsets end) {
    InputPartition[] planned = kafka.planInputPartitions(begin.offset(), end.offset());
    var partitions = Arrays.stream(planned).map(Option::apply).toList();
    return new DataSourceRDD(
        spark.sparkContext(),
        CollectionConverters.asScala(partitions).toList(),
        kafka.createReaderFactory(),
        false,
        scala.collection.immutable.Map$.MODULE$.empty());
  }
}
