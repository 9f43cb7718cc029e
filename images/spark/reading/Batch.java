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

/** A batch that several queries read. Blocks that exceed the memory are stored on the executor's disk. */
final class Batch {
  final Offsets begin;
  final Offsets end;
  final Set<SharedSource> users = new HashSet<>();
  private final FutureTask<RDD<byte[]>> reading;

  Batch(Offsets begin, Offsets end, Supplier<RDD<InternalRow>> validated) {
    this.begin = begin;
    this.end = end;
    this.reading = new FutureTask<>(() -> persisted(validated.get()));
  }

  /** The first caller reads the batch, others wait for it; an error is thrown in all of them. */
  RDD<byte[]> blocks() {
    reading.run();
    try {
      return reading.get();
    } catch (ExecutionException error) {
      throw Batch.<RuntimeException>thrown(error.getCause());
    } catch (InterruptedException error) {
      throw SharedRead.interrupted();
    }
  }

  boolean isIdle() {
    return users.isEmpty();
  }

  long records() {
    return end.since(begin);
  }

  /** Releases the blocks; always true, for use in a predicate. */
  boolean drop() {
    if (reading.state() == Future.State.SUCCESS) {
      reading.resultNow().unpersist(false);
    }
    return true;
  }

  /** Rethrows unchanged, because Spark depends on the type and the message of an error. */
  @SuppressWarnings("unchecked")
  private static <E extends Throwable> E thrown(Throwable error) throws E {
    throw (E) error;
  }

  private static RDD<byte[]> persisted(RDD<InternalRow> rows) {
    RDD<byte[]> blocks = PackedRows.pack(rows).persist(StorageLevel.MEMORY_AND_DISK());
    blocks.count();
    return blocks;
  }
}
