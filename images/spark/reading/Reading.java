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
 * What several queries share of a topic: where their batches end, and what was read for them.
 *
 * <p>The query that comes to a place first decides how far its batch goes from there, and what it
 * reads is kept for those that will come there: parsed once, before the first of them goes on. One
 * that comes later takes all that is kept from its place on as one batch. One that finds nothing kept
 * reads on its own, up to where the foremost is. So how far each is stays its own matter.
 *
 * <p>Nobody waits for another, but while there is more to read than a batch may hold: then it costs
 * least to go together, and who waits would lag anyway.
 */
final class Reading {
  /** One that is waited for longer goes on apart, until it is where the others are. */
  private static final long PATIENCE_MS = 10_000;

  /** Records by which Spark rounds the share that each partition has of a limit. */
  private static final long ROUNDED = 1;

  private final StructType schema;
  private final Validation validation;

  /** Queries to wait for that have not come yet. */
  private int expected;

  /** Where the batch ends that a query has taken last: there it stands. */
  private final Map<SharedSource, Places> positions = new HashMap<>();

  /** Queries that the others wait for. */
  private final Set<SharedSource> together = new HashSet<>();

  /** By where they begin, the oldest first. */
  private final Map<Places, Batch> batches = new LinkedHashMap<>();

  /** By where its batch begins, the query that finds out how far there is something to read. */
  private final Map<Places, SharedSource> asking = new HashMap<>();

  /** Records that are kept at the most for those that come later; the oldest go first. */
  private long room = Long.MAX_VALUE;

  private Places front = new Places(Map.of());

  /** Through which batches are read that are kept. */
  private Topic topic;

  Reading(Validation validation, StructType schema, int waited) {
    this.validation = validation;
    this.schema = schema;
    this.expected = waited;
  }

  StructType schema() {
    return schema;
  }

  /**
   * Batches that are kept are read through {@code first}, whoever reads them, as the first query has
   * it: an executor's consumer has asked for what follows, and another would ask for it again.
   */
  synchronized void readThrough(Supplier<Topic> first) {
    if (topic == null) {
      topic = first.get();
    }
  }

  /** Where a query's next batch ends, which begins at {@code begin}. */
  Places end(SharedSource query, Places begin, ReadLimit limit, SupportsAdmissionControl kafka) {
    join(query, begin);
    long most = limit instanceof ReadMaxRows rows ? rows.maxRows() : Long.MAX_VALUE / 2;
    room = 2 * most;
    try {
      Places end = meeting(query, begin, most);
      // A topic that was made anew has fewer records than before: what to do then, Spark's stream knows.
      if (end == null || !end.isWithin(newest(begin, kafka))) {
        end = Places.of(kafka.latestOffset(begin.offset(), limit));
        if (isFull(end, begin, most)) {
          await(begin);
        }
      }
      lead(end);
      return end;
    } finally {
      answered(query, begin);
    }
  }

  private static Places newest(Places begin, SupportsAdmissionControl kafka) {
    return Places.of(kafka.latestOffset(begin.offset(), ReadLimit.allAvailable()));
  }

  /** The rows of a batch, judged; {@code own} is the topic as the query reads it on its own. */
  RDD<InternalRow> rows(SharedSource query, Places begin, Places end, Topic own) {
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
    // As many tasks, and files, as if it had been read at once.
    int partitions = each.stream().mapToInt(JavaRDD::getNumPartitions).max().orElseThrow();
    JavaRDD<byte[]> all = each.getFirst();
    for (JavaRDD<byte[]> next : each.subList(1, each.size())) {
      all = all.union(next);
    }
    return all.coalesce(partitions).rdd();
  }

  /** A query that has ended waits for nothing, and nobody for it. */
  synchronized void leave(SharedSource query) {
    positions.remove(query);
    together.remove(query);
    batches.values().forEach(batch -> batch.users.remove(query));
    tidy();
    notifyAll();
  }

  private synchronized void join(SharedSource query, Places begin) {
    if (!positions.containsKey(query)) {
      if (query.isWaitedFor()) {
        expected--;
        together.add(query);
      }
      lead(begin);
      positions.put(query, begin);
      notifyAll();
    }
  }

  private synchronized void lead(Places place) {
    front = front.or(place);
  }

  private void stand(SharedSource query, Places place) {
    positions.put(query, place);
    lead(place);
    if (place.equals(front) && query.isWaitedFor()) {
      together.add(query);
    }
    notifyAll();
  }

  /**
   * Where a query meets the others; null where it leads, or lags too far: then it is the one that asks
   * there until it has {@link #answered}. What has come is more with each moment, and two that ask at
   * once would go apart.
   */
  private synchronized Places meeting(SharedSource query, Places begin, long most) {
    while (asking.containsKey(begin)) {
      pause(0);
    }
    Places met = met(begin, most);
    if (met == null) {
      asking.put(begin, query);
    }
    return met;
  }

  private synchronized void answered(SharedSource query, Places begin) {
    asking.remove(begin, query);
    notifyAll();
  }

  private Places met(Places begin, long most) {
    Places kept = begin;
    for (Batch next = batches.get(kept); next != null && isNear(next.end, begin, most); ) {
      kept = next.end;
      next = batches.get(kept);
    }
    if (!kept.equals(begin)) {
      return kept;
    }
    Places foremost = front.or(begin);
    return foremost.equals(begin) || !isNear(foremost, begin, most) ? null : foremost;
  }

  private static boolean isNear(Places end, Places begin, long most) {
    return end.since(begin) - ROUNDED * end.offsets().size() <= most;
  }

  private static boolean isFull(Places end, Places begin, long most) {
    return end.since(begin) + ROUNDED * end.offsets().size() >= most;
  }

  /** Wait until all that go together have come to {@code begin}. */
  private synchronized void await(Places begin) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS);
    while (expected > 0 || together.stream().anyMatch(each -> isBehind(each, begin))) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      // Who is waited for has a target that is away or slow, and holds up no other again.
      if (left <= 0) {
        expected = 0;
        together.removeIf(each -> isBehind(each, begin));
        return;
      }
      pause(left);
    }
  }

  /** Until another thread has news; {@code ms} at the most, without end where it is 0. */
  private synchronized void pause(long ms) {
    try {
      wait(ms);
    } catch (InterruptedException error) {
      throw toldToStop();
    }
  }

  /** What Spark takes for a query's end, not for its failure. */
  static UncheckedIOException toldToStop() {
    Thread.currentThread().interrupt();
    return new UncheckedIOException(new InterruptedIOException("told to stop"));
  }

  private boolean isBehind(SharedSource query, Places begin) {
    return !begin.isWithin(positions.get(query));
  }

  /** What is read for several, from {@code begin} to {@code end}; none where it is not all. */
  private synchronized List<Batch> take(SharedSource query, Places begin, Places end) {
    join(query, begin);
    stand(query, end);
    batches.values().forEach(batch -> batch.users.remove(query));
    // At its start Spark asks a source for what lies between a place and itself.
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
    tidy();
    return isAll ? found : List.of();
  }

  /** Whether a query stands at {@code begin}, or before it with all kept that lies between. */
  private boolean isWanted(Places begin) {
    return positions.values().stream()
        .anyMatch(
            place -> {
              Places next = place;
              while (!next.equals(begin) && batches.containsKey(next)) {
                next = batches.get(next).end;
              }
              return next.equals(begin);
            });
  }

  /** Let go of what no query reads or will read next, and of the oldest where too much waits. */
  private void tidy() {
    drop(batch -> !isWanted(batch.begin));
    long waiting = batches.values().stream().filter(Batch::isIdle).mapToLong(Batch::records).sum();
    for (Batch oldest : List.copyOf(batches.values())) {
      if (waiting > room && oldest.isIdle()) {
        waiting -= oldest.records();
        drop(batch -> batch == oldest);
      }
    }
  }

  private void drop(Predicate<Batch> which) {
    batches.values().removeIf(batch -> batch.isIdle() && which.test(batch) && batch.drop());
  }
}
