package metal.kafka.spark;

import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.ReadMaxRows;
import org.apache.spark.sql.connector.read.streaming.SupportsAdmissionControl;
import org.apache.spark.sql.types.StructType;

/**
 * Shared reads of a topic by several queries: the ends of their batches, and the batches kept for them.
 *
 * <p>The first query at an offset determines the end of the batch that begins there. The batch is read
 * and parsed once, and kept for queries that will reach its begin. A later query takes all kept batches
 * from its offset on as one batch. Without a kept batch a query reads on its own, up to the offsets of
 * the foremost query. Each query has its own progress.
 *
 * <p>Queries wait for each other only during a backlog that exceeds a batch: then shared reads cost
 * least, and the waiting query would lag anyway.
 */
final class SharedRead {
  /** After this wait the slow query reads separately, until it has caught up. */
  private static final long MAX_WAIT_MS = 10_000;

  /** Rounding error of Spark for the share of a partition in a limit, in records. */
  private static final long ROUNDING = 1;

  private final StructType schema;
  private final Validation validation;

  /** Number of queries to wait for that have not joined yet. */
  private int expected;

  /** Position of each query: the end of its last batch. */
  private final Map<SharedSource, Offsets> positions = new HashMap<>();

  /** Queries that the others wait for. */
  private final Set<SharedSource> together = new HashSet<>();

  /** Kept batches by their begin, oldest first. */
  private final Map<Offsets, Batch> batches = new LinkedHashMap<>();

  /** By the begin of a batch, the query that determines its end from Kafka. */
  private final Map<Offsets, SharedSource> resolving = new HashMap<>();

  /** Maximum of records kept for later queries; the oldest batches are dropped first. */
  private long maxKept = Long.MAX_VALUE;

  /** Limits that were set while a query runs, by output. */
  private final Map<String, Long> limits = new ConcurrentHashMap<>();

  private Offsets front = new Offsets(Map.of());

  /** The topic by which kept batches are read. */
  private Topic topic;

  SharedRead(Validation validation, StructType schema, int waited) {
    this.validation = validation;
    this.schema = schema;
    this.expected = waited;
  }

  StructType schema() {
    return schema;
  }

  /**
   * All kept batches are read by the topic of the first query: the consumers of executors prefetch the
   * next records, which another consumer would fetch again.
   */
  synchronized void readThrough(Supplier<Topic> first) {
    if (topic == null) {
      topic = first.get();
    }
  }

  void limit(String output, long most) {
    limits.put(output, most);
  }

  /** The limit that the driver has set for an output, or the query's own. */
  ReadLimit limitOf(String output, ReadLimit own) {
    Long most = limits.get(output);
    return most == null || !(own instanceof ReadMaxRows) ? own : ReadLimit.maxRows(most);
  }

  /** Returns the end of a query's next batch, which begins at {@code begin}. */
  Offsets end(SharedSource query, Offsets begin, ReadLimit limit, SupportsAdmissionControl kafka) {
    join(query, begin);
    long most = limit instanceof ReadMaxRows rows ? rows.maxRows() : Long.MAX_VALUE / 2;
    maxKept = 2 * most;
    try {
      Offsets end = findOrClaimEnd(query, begin, most);
      // A recreated topic has smaller offsets than before: Spark's stream handles that.
      if (end == null || !end.isWithin(newest(begin, kafka))) {
        end = Offsets.of(kafka.latestOffset(begin.offset(), limit));
        if (isFull(end, begin, most)) {
          await(begin);
        }
      }
      advanceFront(end);
      return end;
    } finally {
      release(query, begin);
    }
  }

  private static Offsets newest(Offsets begin, SupportsAdmissionControl kafka) {
    return Offsets.of(kafka.latestOffset(begin.offset(), ReadLimit.allAvailable()));
  }

  /** Returns the validated rows of a batch; {@code own}: the topic for separate reads of this query. */
  RDD<InternalRow> rows(SharedSource query, Offsets begin, Offsets end, Topic own) {
    List<Batch> taken = take(query, begin, end);
    return taken.isEmpty()
        ? validation.of(own.records(begin, end))
        : PackedRows.unpack(blocks(taken), schema.size());
  }

  private static RDD<byte[]> blocks(List<Batch> batches) {
    List<JavaRDD<byte[]>> each = batches.stream().map(batch -> batch.blocks().toJavaRDD()).toList();
    if (each.size() == 1) {
      return each.getFirst().rdd();
    }
    // As many tasks, and files, as for a single batch.
    int partitions = each.stream().mapToInt(JavaRDD::getNumPartitions).max().orElseThrow();
    JavaRDD<byte[]> all = each.getFirst();
    for (JavaRDD<byte[]> next : each.subList(1, each.size())) {
      all = all.union(next);
    }
    return all.coalesce(partitions).rdd();
  }

  /** Removes a query that has stopped, so that no other query waits for it. */
  synchronized void leave(SharedSource query) {
    positions.remove(query);
    together.remove(query);
    batches.values().forEach(batch -> batch.users.remove(query));
    dropUnused();
    notifyAll();
  }

  private synchronized void join(SharedSource query, Offsets begin) {
    if (!positions.containsKey(query)) {
      if (query.isWaitedFor()) {
        expected--;
        together.add(query);
      }
      advanceFront(begin);
      positions.put(query, begin);
      notifyAll();
    }
  }

  private synchronized void advanceFront(Offsets place) {
    front = front.or(place);
  }

  private void moveTo(SharedSource query, Offsets place) {
    positions.put(query, place);
    advanceFront(place);
    if (place.equals(front) && query.isWaitedFor()) {
      together.add(query);
    }
    notifyAll();
  }

  /**
   * Returns the offsets where a query joins the others; null if it is the foremost or lags too far. Then
   * only this query determines the end of the batch until it calls {@link #release}: the end offsets
   * grow all the time, and two queries would get different ends.
   */
  private synchronized Offsets findOrClaimEnd(SharedSource query, Offsets begin, long most) {
    while (resolving.containsKey(begin)) {
      pause(0);
    }
    Offsets shared = findSharedEnd(begin, most);
    if (shared == null) {
      resolving.put(begin, query);
    }
    return shared;
  }

  private synchronized void release(SharedSource query, Offsets begin) {
    resolving.remove(begin, query);
    notifyAll();
  }

  private Offsets findSharedEnd(Offsets begin, long most) {
    Offsets kept = begin;
    for (Batch next = batches.get(kept); next != null && isNear(next.end, begin, most); ) {
      kept = next.end;
      next = batches.get(kept);
    }
    if (!kept.equals(begin)) {
      return kept;
    }
    Offsets foremost = front.or(begin);
    return foremost.equals(begin) || !isNear(foremost, begin, most) ? null : foremost;
  }

  private static boolean isNear(Offsets end, Offsets begin, long most) {
    return end.since(begin) - ROUNDING * end.offsets().size() <= most;
  }

  private static boolean isFull(Offsets end, Offsets begin, long most) {
    return end.since(begin) + ROUNDING * end.offsets().size() >= most;
  }

  /** Waits until all queries that read together have reached {@code begin}. */
  private synchronized void await(Offsets begin) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MAX_WAIT_MS);
    while (expected > 0 || together.stream().anyMatch(each -> lags(each, begin))) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      // The target of a slow query is unreachable or slow: it no longer delays the others.
      if (left <= 0) {
        expected = 0;
        together.removeIf(each -> lags(each, begin));
        return;
      }
      pause(left);
    }
  }

  /** Waits for a notification of another thread, at most {@code ms}; without a limit if it is 0. */
  private synchronized void pause(long ms) {
    try {
      wait(ms);
    } catch (InterruptedException error) {
      throw interrupted();
    }
  }

  /** An exception that Spark treats as the stop of a query, not as a failure. */
  static UncheckedIOException interrupted() {
    Thread.currentThread().interrupt();
    return new UncheckedIOException(new InterruptedIOException("query stopped"));
  }

  private boolean lags(SharedSource query, Offsets begin) {
    return !begin.isWithin(positions.get(query));
  }

  /** Returns the kept batches from {@code begin} to {@code end}; none if they do not cover it all. */
  private synchronized List<Batch> take(SharedSource query, Offsets begin, Offsets end) {
    join(query, begin);
    moveTo(query, end);
    batches.values().forEach(batch -> batch.users.remove(query));
    // At its start Spark requests an empty batch.
    if (!batches.containsKey(begin) && isWanted(begin) && !begin.equals(end)) {
      batches.put(begin, new Batch(begin, end, () -> validation.of(topic.records(begin, end))));
    }
    List<Batch> found = new ArrayList<>();
    for (Batch next = batches.get(begin); next != null && next.end.isWithin(end); ) {
      found.add(next);
      next = batches.get(next.end);
    }
    boolean isAll = !found.isEmpty() && found.getLast().end.equals(end);
    if (isAll) {
      found.forEach(batch -> batch.users.add(query));
    }
    dropUnused();
    return isAll ? found : List.of();
  }

  /** Whether a query is at {@code begin}, or before it with all batches in between kept. */
  private boolean isWanted(Offsets begin) {
    return positions.values().stream()
        .anyMatch(
            place -> {
              Offsets next = place;
              while (!next.equals(begin) && batches.containsKey(next)) {
                next = batches.get(next).end;
              }
              return next.equals(begin);
            });
  }

  /** Drops batches that no query reads or will read next, and the oldest ones above the limit. */
  private void dropUnused() {
    drop(batch -> !isWanted(batch.begin));
    long waiting = batches.values().stream().filter(Batch::isIdle).mapToLong(Batch::records).sum();
    for (Batch oldest : List.copyOf(batches.values())) {
      if (waiting > maxKept && oldest.isIdle()) {
        waiting -= oldest.records();
        drop(batch -> batch == oldest);
      }
    }
  }

  private void drop(Predicate<Batch> which) {
    batches.values().removeIf(batch -> batch.isIdle() && which.test(batch) && batch.drop());
  }
}
