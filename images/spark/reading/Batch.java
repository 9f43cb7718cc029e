package metal.kafka.spark;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.storage.StorageLevel;

/** A batch that several queries read. What does not fit into memory goes to the executor's disk. */
final class Batch {
  final Places begin;
  final Places end;
  final Set<SharedSource> users = new HashSet<>();
  private final FutureTask<RDD<byte[]>> reading;

  Batch(Places begin, Places end, Supplier<RDD<InternalRow>> judged) {
    this.begin = begin;
    this.end = end;
    this.reading = new FutureTask<>(() -> kept(judged.get()));
  }

  /** Read by the query that asks first, while others wait for it; one error is the error of all. */
  RDD<byte[]> blocks() {
    reading.run();
    try {
      return reading.get();
    } catch (ExecutionException error) {
      throw Batch.<RuntimeException>thrown(error.getCause());
    } catch (InterruptedException error) {
      throw Reading.toldToStop();
    }
  }

  boolean isIdle() {
    return users.isEmpty();
  }

  long records() {
    return end.since(begin);
  }

  /** True, for who removes it. */
  boolean drop() {
    if (reading.state() == Future.State.SUCCESS) {
      reading.resultNow().unpersist(false);
    }
    return true;
  }

  /** Spark tells by its type and its words what an error means: it goes on as it is. */
  @SuppressWarnings("unchecked")
  private static <E extends Throwable> E thrown(Throwable error) throws E {
    throw (E) error;
  }

  private static RDD<byte[]> kept(RDD<InternalRow> rows) {
    RDD<byte[]> blocks = PackedRows.pack(rows).persist(StorageLevel.MEMORY_AND_DISK());
    blocks.count();
    return blocks;
  }
}
